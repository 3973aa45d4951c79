// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "new_file.hpp"

#include <distview/comm/agreement.hpp>
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
        // Of a writer that was killed.
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
        // Without one that gets older, the older ones stay what they are.
        if (!is_file(m_path)) keep = 1;
        for (int age = keep - 1; age > 1; --age)
            (void)std::rename(kept_name(m_path, age - 1).c_str(), kept_name(m_path, age).c_str());
        if (keep > 1) keep_file(m_path, kept_name(m_path, 1));
        replace_file(m_caller, m_temporary, m_path);
        m_is_there = false;
    });
}

std::string NewFile::kept_name(const std::string& path, int age) {
    return age == 0 ? path : text(path, '.', age);
}

} // namespace distview::impl
