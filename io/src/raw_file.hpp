// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::impl {

/// Throws Error: "save_npy: expected to write 'u.npy', got 'No space left on device'".
[[noreturn]] void throw_system_error(const std::string& caller, const std::string& expected,
                                     int error);

/// An open file that several ranks read or write at once, each its own bytes.
///
/// POSIX reads and writes at given offsets: their errors are exact and stay on the rank that meets them, where the
/// caller's agreement finds them; no rank waits for another in them.
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
    /// Whether another file has its name by now.
    bool is_replaced() const noexcept;
    /// Throws DamageError unless all bytes are there. `what` is said in errors: "field 'h'".
    void read(void* to, std::int64_t bytes, std::int64_t offset, const std::string& what) const;
    void write(const void* from, std::int64_t bytes, std::int64_t offset,
               const std::string& what) const;
    void resize(std::int64_t bytes) const;
    /// Throws, and leaves the room to others, unless the disk has some for that many bytes behind the last one. False where
    /// the file system cannot say so; else give_back() what is not used.
    bool reserve(std::int64_t bytes) const;
    void give_back() const noexcept;
    /// Returns when the disk has everything that any rank has written and the system knows of.
    void sync() const;
    /// Errors of a close are errors of a write.
    void close();

private:
    std::string m_caller;
    std::string m_path;
    int m_descriptor = -1;
};

/// Removes a file; there may be none.
void remove_file(const std::string& path) noexcept;
/// Puts `from` in the place of `to`, whatever is there, and makes that last.
void replace_file(const std::string& caller, const std::string& from, const std::string& to);
/// Gives a file a second name, in the place of whatever has that; false where there are no second names.
bool add_name(const std::string& path, const std::string& second) noexcept;
/// Throws Error unless a file can be made in the place of `path`: its folder is there, and it is no folder itself.
void check_place(const std::string& caller, const std::string& path);
bool is_file(const std::string& path) noexcept;
/// What no other file that has this name before or after it has, on this node; empty if there is none.
std::string identity_of(const std::string& path);
/// Whether nothing has this name; not if the system refuses to say so.
bool is_missing(const std::string& path) noexcept;
/// The folder that a file is in; "." for one without.
std::string folder_of(const std::string& path);

} // namespace distview::impl
