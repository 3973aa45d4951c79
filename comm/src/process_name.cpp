// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/process_name.hpp>

#include <distview/core/text.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <unistd.h>

namespace distview::impl {

namespace {

/// State and time of start from /proc/NUMBER/stat; state 0 if there is no such process, '?' if that is unknown.
struct Status {
    char state = '?';
    std::int64_t started = 0;
};

Status status_of(std::int64_t process) {
    errno = 0;
    std::ifstream file(text("/proc/", process, "/stat"));
    if (!file) return {errno == ENOENT || errno == ESRCH ? '\0' : '?', 0};
    const std::string all{std::istreambuf_iterator<char>(file), {}};
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
