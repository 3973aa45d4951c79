// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "new_file.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstdio>
#include <utility>

namespace distview::impl {

NewFile::NewFile(const Communicator& comm, std::string caller, std::string path)
    : m_comm(comm), m_caller(std::move(caller)), m_path(std::move(path)),
      m_temporary(temporary_name(m_path)) {}

NewFile::~NewFile() {
    if (m_is_there && m_comm.rank() == 0) remove_file(m_temporary);
}

void NewFile::make(const std::function<void(const std::string&)>& action) {
    agree_on(m_comm, m_caller.c_str(), [&] {
        if (m_comm.rank() != 0) return;
        check_place(m_caller, m_path);
        check_place(m_caller, m_temporary);
        // A killed writer may have left it.
        remove_file(m_temporary);
        m_is_there = true;
        action(m_temporary);
    });
    agree_on(m_comm, m_caller.c_str(),
             [&] { m_file = RawFile(m_caller, m_temporary, RawFile::Mode::write); });
}

void NewFile::commit(bool sync, int keep) {
    agree_on(m_comm, m_caller.c_str(), [&] {
        if (sync) m_file.sync();
        m_file.close();
    });
    agree_on(m_comm, m_caller.c_str(), [&] {
        if (m_comm.rank() != 0) return;
        // If no file becomes older, the older ones keep their names.
        if (!is_file(m_path)) keep = 1;
        const auto get_older = [&](const std::string& last) {
            for (int age = keep - 1; age > 1; --age)
                (void)std::rename(kept_name(m_path, age - 1).c_str(),
                                  kept_name(m_path, age).c_str());
            (void)std::rename(last.c_str(), kept_name(m_path, 1).c_str());
        };
        // The last file may be damaged: older files keep their names until the new file has its name.
        const std::string aside = temporary_name(kept_name(m_path, 1));
        const bool is_aside = keep > 1 && add_name(m_path, aside);
        if (keep > 1 && !is_aside) get_older(m_path);
        try {
            replace_file(m_caller, m_temporary, m_path);
        } catch (const Error&) {
            if (is_aside) remove_file(aside);
            throw;
        }
        m_is_there = false;
        if (!is_aside) return;
        get_older(aside);
        remove_file(aside); // rename() leaves it if both are names of one file
    });
}

std::string NewFile::kept_name(const std::string& path, int age) {
    return age == 0 ? path : text(path, '.', age);
}

} // namespace distview::impl
