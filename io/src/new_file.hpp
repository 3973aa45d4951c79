// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"

#include <distview/comm/communicator.hpp>

#include <functional>
#include <string>

namespace distview::impl {

/// A file that all ranks write under a temporary name, and that gets its final name when it is complete. Without
/// commit() the file is removed.
///
/// Collective: construction, make(), commit()
class NewFile {
public:
    NewFile(const Communicator& comm, std::string caller, std::string path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// Runs `action(temporary name)` on rank 0, which creates the file; then all ranks open it.
    void make(const std::function<void(const std::string&)>& action);
    const RawFile& file() const noexcept { return m_file; }
    const std::string& temporary_name() const noexcept { return m_temporary; }
    /// If `keep` > 1, earlier files of this name are kept under other names, see kept_name().
    void commit(bool sync, int keep = 1);

    /// The file's name until it is complete.
    static std::string temporary_name(const std::string& path) { return path + ".partial"; }

    /// The name of a file after `age` later ones have been written.
    static std::string kept_name(const std::string& path, int age);

private:
    const Communicator& m_comm;
    std::string m_caller;
    std::string m_path;
    std::string m_temporary;
    RawFile m_file;
    bool m_is_there = false;
};

} // namespace distview::impl
