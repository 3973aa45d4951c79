// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/process_name.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace distview::impl {

namespace {

/// State and start time of the process's first task; state 0 if no such process exists, '?' if that is unknown.
/// Not of the process itself: QEMU makes up its /proc/NUMBER/stat, with another start time than others see.
struct Status {
    char state = '?';
    std::int64_t started = 0;
};

/// Allocates nothing, because waiting executions of plans call it.
Status status_of(long long process) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%lld/task/%lld/stat", process, process);
    const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    std::array<char, 1024> characters{};
    const ssize_t count = file < 0 ? -1 : ::read(file, characters.data(), characters.size() - 1);
    const bool is_gone = count < 0 && (errno == ENOENT || errno == ESRCH);
    if (file >= 0) ::close(file);
    if (count < 0) return {is_gone ? '\0' : '?', 0};
    const char* at = std::strrchr(characters.data(), ')'); // a program's name may contain anything
    if (!at || at[1] != ' ') return {};
    const char state = at[2];
    at += 2;
    constexpr int to_start = 19; // fields from the state to the start
    for (int i = 0; at && i < to_start; ++i) {
        at = std::strchr(at, ' ');
        if (at) ++at;
    }
    return at ? Status{state, std::strtoll(at, nullptr, 10)} : Status{};
}

} // namespace

ProcessName ProcessName::self() {
    const std::int64_t number = ::getpid();
    return {number, status_of(number).started};
}

bool ProcessName::has_ended() const {
    if (number == 0 || started == 0) return false;
    const Status now = status_of(number);
    return now.state != '?' && (now.started != started || now.state == 'Z' || now.state == 'X');
}

} // namespace distview::impl
