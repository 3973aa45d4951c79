// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/huge_pages.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace distview::impl {

namespace {

#ifdef MADV_COLLAPSE
constexpr int advice_collapse = MADV_COLLAPSE;
#else
constexpr int advice_collapse = 25; // of Linux 6.1; older kernels refuse it
#endif

std::string first_line_of(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string_view choice() {
    const char* const value = std::getenv("DISTVIEW_HUGE_PAGES");
    return value ? value : "";
}

std::size_t read_huge_page_bytes() {
    if (first_line_of("/sys/kernel/mm/transparent_hugepage/enabled").find("[never]") !=
        std::string::npos)
        return 0;
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    std::size_t bytes = 0;
    return file >> bytes ? bytes : 0;
}

} // namespace

std::size_t huge_page_bytes() {
    static const std::size_t bytes = read_huge_page_bytes();
    return choice() == "0" ? 0 : bytes;
}

void check_huge_pages_choice() {
    require<UsageError>(choice().empty() || choice() == "0" || choice() == "1", [] {
        return text("DISTVIEW_HUGE_PAGES: expected 0 or 1, got '", choice(), '\'');
    });
}

char* map_shared(int descriptor, std::size_t bytes, bool writable) {
    const int access = PROT_READ | (writable ? PROT_WRITE : 0);
    const auto map = [&](void* place, int flags) {
        void* const data = ::mmap(place, bytes, access, MAP_SHARED | flags, descriptor, 0);
        return data == MAP_FAILED ? nullptr : static_cast<char*>(data);
    };
    const std::size_t huge_page = huge_page_bytes();
    if (huge_page == 0 || bytes < huge_page) return map(nullptr, 0);
    // The kernel aligns such mappings to small pages only.
    const std::size_t room = bytes + huge_page;
    void* const reserved =
        ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return map(nullptr, 0);
    char* const begin = static_cast<char*>(reserved);
    const std::size_t before =
        (huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page) % huge_page;
    char* const data = map(begin + before, MAP_FIXED);
    const int failure = errno;
    if (!data) {
        ::munmap(begin, room);
    } else {
        if (before > 0) ::munmap(begin, before);
        ::munmap(data + bytes, room - before - bytes);
    }
    errno = failure;
    return data;
}

int reserve_shared(int descriptor, char* data, std::size_t bytes) {
    const std::size_t huge_page = huge_page_bytes();
    const auto reserve = [&](std::size_t begin, std::size_t end) {
        // Without this a full /dev/shm would end the program with SIGBUS at a later write. At any signal, such
        // as a profiler's, kernels may stop and undo their work: smaller pieces complete between two signals.
        constexpr std::size_t largest_piece = std::size_t{1} << 20;
        std::size_t piece = largest_piece;
        int code = 0;
        while (begin < end && (code == 0 || code == EINTR)) {
            const std::size_t size = std::min(piece, end - begin);
            code =
                ::posix_fallocate(descriptor, static_cast<off_t>(begin), static_cast<off_t>(size));
            if (code == 0) begin += size;
            piece = code == 0 ? largest_piece : std::max(piece / 2, std::size_t{4096});
        }
        return code;
    };
    // If not all of it fits, reserves nothing: others may need the memory.
    struct statvfs system{};
    const bool is_told = ::fstatvfs(descriptor, &system) == 0;
    if (is_told && system.f_blocks > 0 && bytes / system.f_frsize > system.f_bavail) return ENOSPC;
    if (!is_told || huge_page == 0 || bytes < huge_page) return reserve(0, bytes);
    // First, because the file must already be as long as the last huge page.
    if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return errno;
    const std::size_t whole = bytes / huge_page * huge_page;
    for (std::size_t page = 0; page < whole; page += huge_page)
        // One small page each: without any, no huge page is made; if all existed, they would have to be copied.
        if (const int failure = reserve(page, page + 1)) return failure;
    // By default the kernel gives shared memory huge pages only on request. This call stops
    // where it has none left.
    ::madvise(data, whole, advice_collapse);
    return reserve(0, bytes);
}

} // namespace distview::impl
