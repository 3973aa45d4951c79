// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "raw_file.hpp"

#include "damage.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace distview::impl {

namespace {

/// Bytes that one call moves on any system.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

bool is_folder(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

} // namespace

void throw_system_error(const std::string& caller, const std::string& expected, int error) {
    throw Error(text(caller, ": expected ", expected, ", got '",
                     std::generic_category().message(error), "'"));
}

RawFile::RawFile(std::string caller, std::string path, Mode mode)
    : m_caller(std::move(caller)), m_path(std::move(path)) {
    const int flags = mode == Mode::read    ? O_RDONLY
                      : mode == Mode::write ? O_RDWR
                                            : O_RDWR | O_CREAT | O_EXCL;
    do m_descriptor = ::open(m_path.c_str(), flags | O_CLOEXEC, 0666);
    while (m_descriptor < 0 && errno == EINTR);
    if (m_descriptor < 0)
        throw_system_error(
            m_caller, text(mode == Mode::read ? "to read '" : "to write '", m_path, '\''), errno);
    if (mode == Mode::read && is_folder(m_path)) {
        (void)::close(std::exchange(m_descriptor, -1));
        throw_system_error(m_caller, text("to read '", m_path, '\''), EISDIR);
    }
}

RawFile::~RawFile() {
    if (m_descriptor >= 0) (void)::close(m_descriptor);
}

RawFile::RawFile(RawFile&& other) noexcept
    : m_caller(std::move(other.m_caller)), m_path(std::move(other.m_path)),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

RawFile& RawFile::operator=(RawFile&& other) noexcept {
    std::swap(m_caller, other.m_caller);
    std::swap(m_path, other.m_path);
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

std::int64_t RawFile::size() const {
    struct stat status{};
    if (::fstat(m_descriptor, &status) != 0)
        throw_system_error(m_caller, text("the size of '", m_path, '\''), errno);
    return status.st_size;
}

bool RawFile::is_replaced() const noexcept {
    struct stat mine{}, named{};
    return ::fstat(m_descriptor, &mine) == 0 && ::stat(m_path.c_str(), &named) == 0 &&
           (mine.st_dev != named.st_dev || mine.st_ino != named.st_ino);
}

void RawFile::read(void* to, std::int64_t bytes, std::int64_t offset,
                   const std::string& what) const {
    auto* at = static_cast<char*>(to);
    const std::int64_t end = offset + bytes;
    while (offset < end) {
        const auto count = static_cast<std::size_t>(std::min(end - offset, most_bytes));
        const ssize_t got = ::pread(m_descriptor, at, count, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw_system_error(
                m_caller, text("to read bytes [", offset, ", ", end, ") of '", m_path, "', ", what),
                errno);
        require<DamageError>(got > 0, [&] {
            return text(m_caller, ": expected bytes [", offset, ", ", end, ") of '", m_path, "', ",
                        what, ", got a file that ends at byte ", offset);
        });
        at += got;
        offset += got;
    }
}

void RawFile::write(const void* from, std::int64_t bytes, std::int64_t offset,
                    const std::string& what) const {
    const auto* at = static_cast<const char*>(from);
    const std::int64_t end = offset + bytes;
    while (offset < end) {
        const auto count = static_cast<std::size_t>(std::min(end - offset, most_bytes));
        const ssize_t got = ::pwrite(m_descriptor, at, count, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            throw_system_error(
                m_caller,
                text("to write bytes [", offset, ", ", end, ") of '", m_path, "', ", what),
                got < 0 ? errno : ENOSPC);
        at += got;
        offset += got;
    }
}

void RawFile::resize(std::int64_t bytes) const {
    int status = 0;
    do status = ::ftruncate(m_descriptor, bytes);
    while (status != 0 && errno == EINTR);
    if (status != 0)
        throw_system_error(m_caller, text("to make '", m_path, "' ", bytes, " bytes long"), errno);
}

bool RawFile::reserve(std::int64_t bytes) const {
#ifdef FALLOC_FL_KEEP_SIZE
    // Starts before the end of the file: its last bytes may lie in a hole, in a page that no rank has written yet.
    constexpr std::int64_t before = 1 << 16;
    const std::int64_t size_now = this->size();
    const std::int64_t end = size_now + bytes;
    int error = 0;
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(end) > limit.rlim_cur)
        error = EFBIG;
    // A signal, such as a profiler's, may make the kernel give up and undo a piece: pieces shrink until one fits
    // between two signals.
    std::int64_t piece = most_bytes;
    for (std::int64_t at = std::max<std::int64_t>(size_now - before, 0); error == 0 && at < end;) {
        const std::int64_t count = std::min(piece, end - at);
        if (::fallocate(m_descriptor, FALLOC_FL_KEEP_SIZE, at, count) == 0) {
            at += count;
            piece = most_bytes;
        } else if (errno == EINTR) {
            piece = std::max<std::int64_t>(piece / 2, 4096);
        } else {
            error = errno;
        }
    }
    if (error == 0) return true;
    give_back();
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        throw_system_error(m_caller, text("room for ", bytes, " more bytes in '", m_path, '\''),
                           error);
#else
    (void)bytes;
#endif
    return false;
}

void RawFile::give_back() const noexcept {
    // Setting a file's size, even to its present size, frees blocks behind the last byte.
    struct stat status{};
    if (::fstat(m_descriptor, &status) == 0 && ::ftruncate(m_descriptor, status.st_size) != 0)
        return; // the file keeps them
}

void RawFile::sync() const {
    int status = 0;
    do status = ::fsync(m_descriptor);
    while (status != 0 && errno == EINTR);
    if (status != 0) throw_system_error(m_caller, text("'", m_path, "' to reach the disk"), errno);
}

void RawFile::close() {
    const int descriptor = std::exchange(m_descriptor, -1);
    if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR)
        throw_system_error(m_caller, text("to write '", m_path, '\''), errno);
}

void remove_file(const std::string& path) noexcept { (void)::unlink(path.c_str()); }

void replace_file(const std::string& caller, const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0)
        throw_system_error(caller, text("to rename '", from, "' to '", to, '\''), errno);
    // A name is durable once its folder is on the disk. If the folder cannot be synced, nothing more can be done.
    const int folder = ::open(folder_of(to).c_str(), O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        (void)::fsync(folder);
        (void)::close(folder);
    }
}

bool add_name(const std::string& path, const std::string& second) noexcept {
    remove_file(second);
    return ::link(path.c_str(), second.c_str()) == 0;
}

void check_place(const std::string& caller, const std::string& path) {
    const std::string expected = text("to write '", path, '\'');
    if (path.empty()) throw_system_error(caller, expected, ENOENT);
    if (is_folder(path)) throw_system_error(caller, expected, EISDIR);
    // rename() would replace a device, a pipe or a socket by a file: /dev/null would become a file for all users.
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw Error(text(caller, ": expected ", expected, ", got a device, pipe or socket"));
    // rename() would also replace a link of the system to something that this process has open, such as /dev/stdout.
    struct stat link{};
    if (path.starts_with("/dev/") && ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode))
        throw Error(text(caller, ": expected ", expected, ", got a link to an open file"));
    const std::string folder = folder_of(path);
    if (::stat(folder.c_str(), &status) != 0)
        throw_system_error(caller, expected + text(" in the folder '", folder, '\''), errno);
    if (!S_ISDIR(status.st_mode))
        throw_system_error(caller, expected + text(" in the folder '", folder, '\''), ENOTDIR);
}

bool is_file(const std::string& path) noexcept {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string identity_of(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return {};
    return text(status.st_dev, ' ', status.st_ino, ' ', status.st_size, ' ', status.st_mtim.tv_sec,
                ' ', status.st_mtim.tv_nsec);
}

bool is_missing(const std::string& path) noexcept {
    struct stat status{};
    return ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace distview::impl
