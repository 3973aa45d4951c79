// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/shared_segment.hpp>

#include "huge_pages.hpp"

#include <distview/core/text.hpp>

#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/mman.h>
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

} // namespace

std::shared_ptr<SharedSegment> SharedSegment::make(std::size_t bytes, std::string& why_not) {
    constexpr std::size_t page = 4096;
    bytes = (bytes + header_bytes + page - 1) / page * page;
    const int descriptor = make_descriptor();
    if (descriptor < 0) {
        why_not = text("shm_open: ", std::strerror(errno));
        return nullptr;
    }
    char* const data = map_shared(descriptor, bytes);
    const int failed = data ? reserve_shared(descriptor, data, bytes) : errno;
    if (failed) {
        why_not = text(data ? "posix_fallocate of " : "mmap of ", bytes,
                       " bytes of shared memory: ", std::strerror(failed));
        if (data) ::munmap(data, bytes);
        ::close(descriptor);
        return nullptr;
    }
    std::shared_ptr<SharedSegment> segment(new SharedSegment(descriptor, data, bytes));
    const std::uint64_t key = random_number();
    std::memcpy(data, &key, sizeof(key));
    segment->m_address = {::getpid(), descriptor, static_cast<std::int64_t>(bytes),
                          static_cast<std::int64_t>(key)};
    return segment;
}

std::shared_ptr<SharedSegment> SharedSegment::open(const SegmentAddress& address) {
    if (address.process < 0) return nullptr;
    const std::string path = text("/proc/", address.process, "/fd/", address.descriptor);
    // On another host, or in another process namespace, this may be anything: a terminal, a pipe.
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != static_cast<off_t>(address.bytes))
        return nullptr;
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return nullptr;
    const auto bytes = static_cast<std::size_t>(address.bytes);
    char* const data = map_shared(descriptor, bytes);
    ::close(descriptor);
    if (!data) return nullptr;
    std::shared_ptr<SharedSegment> segment(new SharedSegment(-1, data, bytes));
    std::int64_t key = 0;
    std::memcpy(&key, data, sizeof(key));
    if (key != address.key) return nullptr;
    segment->m_address = address;
    return segment;
}

SharedSegment::~SharedSegment() {
    ::munmap(m_data, m_bytes);
    if (m_descriptor >= 0) ::close(m_descriptor);
}

} // namespace distview::impl
