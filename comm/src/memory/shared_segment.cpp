// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/shared_segment.hpp>

#include "memory/huge_pages.hpp"

#include <distview/core/text.hpp>

#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace distview::impl {

namespace {

std::uint64_t random_number() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) ^ device();
}

/// A shared memory object without a name, or -1 with errno.
int make_descriptor() {
    for (int attempt = 0; attempt < 16; ++attempt) {
        const std::string name = text("/distview-", ::getpid(), '-', random_number());
        const int descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        if (descriptor >= 0) {
            ::shm_unlink(name.c_str());
            return descriptor;
        }
        if (errno != EEXIST) return -1;
    }
    return -1;
}

/// Header of a segment.
struct Header {
    std::int64_t key = 0;
    std::int64_t version = SharedSegment::layout_version;
};
static_assert(sizeof(Header) <= SharedSegment::header_bytes);

/// Whether the file would exceed the limit, where the system ends the program with SIGXFSZ.
bool exceeds_file_limit(std::size_t bytes, std::string& why_not) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return false;
    why_not = text("this process may make files of ", limit.rlim_cur,
                   " bytes at most (ulimit -f), needed ", bytes);
    return true;
}

/// Keeps the memory out of forked children. If the system refuses, children have the memory.
void keep_from_children(char* data, std::size_t bytes) {
    static_cast<void>(::madvise(data, bytes, MADV_DONTFORK));
}

/// Closes a descriptor that was opened.
class OpenFile {
public:
    explicit OpenFile(int descriptor) noexcept : m_descriptor(descriptor) {}
    ~OpenFile() {
        if (m_descriptor >= 0) ::close(m_descriptor);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const noexcept { return m_descriptor; }

private:
    int m_descriptor;
};

} // namespace

std::shared_ptr<SharedSegment> SharedSegment::make(std::size_t bytes, std::string& why_not) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    bytes = (bytes + header_bytes + page - 1) / page * page;
    if (exceeds_file_limit(bytes, why_not)) return nullptr;
    const int descriptor = make_descriptor();
    if (descriptor < 0) {
        why_not = text("shm_open: ", std::strerror(errno));
        return nullptr;
    }
    char* const data = map_shared(descriptor, bytes, true);
    const int failed = data ? reserve_shared(descriptor, data, bytes) : errno;
    if (failed) {
        why_not = text(data ? "posix_fallocate of " : "mmap of ", bytes,
                       " bytes of shared memory: ", std::strerror(failed));
        if (data) ::munmap(data, bytes);
        ::close(descriptor);
        return nullptr;
    }
    keep_from_children(data, bytes);
    std::shared_ptr<SharedSegment> segment(
        new SharedSegment(descriptor, data, bytes, Access::write));
    Header header;
    header.key = static_cast<std::int64_t>(random_number());
    std::memcpy(data, &header, sizeof(header));
    segment->m_address = {::getpid(), descriptor, static_cast<std::int64_t>(bytes), header.key};
    return segment;
}

std::shared_ptr<SharedSegment> SharedSegment::open(const SegmentAddress& address, Access access) {
    if (address.process < 0) return nullptr;
    const std::string path = text("/proc/", address.process, "/fd/", address.descriptor);
    // On another host, or in another process namespace, this path may be a terminal, a pipe or a device.
    // O_PATH leaves it untouched; the file that is checked is the file that is opened afterwards.
    const OpenFile place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status{};
    if (place.get() < 0 || ::fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != static_cast<off_t>(address.bytes) ||
        address.bytes < static_cast<std::int64_t>(header_bytes))
        return nullptr;
    const OpenFile file(::open(text("/proc/self/fd/", place.get()).c_str(),
                               (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    if (file.get() < 0) return nullptr;
    const auto bytes = static_cast<std::size_t>(address.bytes);
    char* const data = map_shared(file.get(), bytes, access == Access::write);
    if (!data) return nullptr;
    keep_from_children(data, bytes);
    std::shared_ptr<SharedSegment> segment(new SharedSegment(-1, data, bytes, access));
    Header header;
    std::memcpy(&header, data, sizeof(header));
    if (header.key != address.key || header.version != layout_version) return nullptr;
    segment->m_address = address;
    return segment;
}

bool SharedSegment::holds(std::int64_t offset, std::int64_t begin,
                          std::int64_t end) const noexcept {
    constexpr auto header = static_cast<std::int64_t>(header_bytes);
    const auto size = static_cast<std::int64_t>(m_bytes);
    return offset >= header && offset <= size && begin <= end && begin >= header - offset &&
           end <= size - offset;
}

SharedSegment::~SharedSegment() {
    ::munmap(m_data, m_bytes);
    if (m_descriptor >= 0) ::close(m_descriptor);
}

} // namespace distview::impl
