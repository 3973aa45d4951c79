// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/process_name.hpp>

#include <distview/core/text.hpp>

#include <array>
#include <cerrno>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace distview::impl {

namespace {

/// State and time of start from /proc/NUMBER/stat; state 0 if there is no such process, '?' if that is unknown.
struct Status {
    char state = '?';
    std::int64_t started = 0;
};

Status status_of(std::int64_t process) {
    const std::string path = text("/proc/", process, "/stat");
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, 1024> characters{};
    const ssize_t count = file < 0 ? -1 : ::read(file, characters.data(), characters.size());
    const bool is_gone = count < 0 && (errno == ENOENT || errno == ESRCH);
    if (file >= 0) ::close(file);
    if (count < 0) return {is_gone ? '\0' : '?', 0};
    const std::string all(characters.data(), static_cast<std::size_t>(count));
    const std::size_t name_end = all.rfind(')'); // the program's name may hold anything
    if (name_end == std::string::npos) return {};
    std::istringstream fields(all.substr(name_end + 1));
    Status status;
    fields >> status.state;
    constexpr int between = 18; // fields from the state to the start
    std::string skipped;
    for (int i = 0; i < between; ++i) fields >> skipped;
    fields >> status.started;
    return fields ? status : Status{};
}

} // namespace

ProcessName ProcessName::self() {
    const std::int64_t number = ::getpid();
    return {number, status_of(number).started};
}

bool ProcessName::has_ended() const {
    if (number == 0 || started == 0) return false;
    const Status now = status_of(number);
    if (now.state == '?') return false;
    return now.state == '\0' || now.state == 'Z' || now.state == 'X' || now.started != started;
}

} // namespace distview::impl
