// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::impl {

/// Throws Error: "save_npy: expected to write 'u.npy', got 'No space left on device'".
[[noreturn]] void throw_system_error(const std::string& caller, const std::string& expected,
                                     int error);

/// An open file that several ranks read or write at once, each rank its own bytes.
///
/// Uses POSIX reads and writes at given offsets. Their errors are exact and occur on the rank concerned, where the
/// caller's agreement collects them; no rank waits for another in these calls.
class RawFile {
public:
    enum class Mode { read, write, create };

    RawFile() = default;
    RawFile(std::string caller, std::string path, Mode mode);
    ~RawFile();
    RawFile(RawFile&& other) noexcept;
    RawFile& operator=(RawFile&& other) noexcept;

    const std::string& path() const noexcept { return m_path; }
    bool is_open() const noexcept { return m_descriptor >= 0; }
    std::int64_t size() const;
    /// Whether another file has replaced this file under its name.
    bool is_replaced() const noexcept;
    /// Throws DamageError unless all bytes are there. `what` names them in errors: "field 'h'".
    void read(void* to, std::int64_t bytes, std::int64_t offset, const std::string& what) const;
    void write(const void* from, std::int64_t bytes, std::int64_t offset,
               const std::string& what) const;
    void resize(std::int64_t bytes) const;
    /// Reserves disk space for that many bytes behind the last one. Throws, and reserves nothing, if the disk is too
    /// full. Returns false if the file system cannot reserve space; otherwise release unused space with give_back().
    bool reserve(std::int64_t bytes) const;
    void give_back() const noexcept;
    /// Returns when all bytes that any rank has written, and that this system knows of, are on the disk.
    void sync() const;
    /// Throws like write(): an error of a close is an error of a write.
    void close();

private:
    std::string m_caller;
    std::string m_path;
    int m_descriptor = -1;
};

/// Removes a file, if it exists.
void remove_file(const std::string& path) noexcept;
/// Renames `from` to `to`, replacing an existing file, and makes the new name durable.
void replace_file(const std::string& caller, const std::string& from, const std::string& to);
/// Gives a file a second name, replacing any file of that name; false if the file system has no second names.
bool add_name(const std::string& path, const std::string& second) noexcept;
/// Throws Error unless a file can be created as `path`: its folder exists, and `path` is no folder.
void check_place(const std::string& caller, const std::string& path);
bool is_file(const std::string& path) noexcept;
/// Identifies a file on this node among all files that ever have this name; empty if the file does not exist.
std::string identity_of(const std::string& path);
/// Whether no file has this name; false if the system refuses to say so.
bool is_missing(const std::string& path) noexcept;
/// The folder of a file; "." if the path has none.
std::string folder_of(const std::string& path);

} // namespace distview::impl
