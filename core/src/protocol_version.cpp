// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/version.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/rules.hpp>
#include <distview/core/text.hpp>

#include "protocol_message.hpp"

#include <limits>

namespace distview::protocol {

namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Removes one number from the front of `rest` and returns it; -1 if `rest` does not begin with a number.
int take_number(std::string_view& rest) noexcept {
    constexpr int most = std::numeric_limits<int>::max();
    if (rest.empty() || !is_digit(rest.front())) return -1;
    const bool leading_zero = rest.front() == '0';
    int value = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && is_digit(rest[digits]); ++digits) {
        const int digit = rest[digits] - '0';
        value = value > (most - digit) / 10 ? most : value * 10 + digit;
    }
    if (leading_zero && digits > 1) return -1;
    rest.remove_prefix(digits);
    return value;
}

bool take_dot(std::string_view& rest) noexcept {
    if (rest.empty() || rest.front() != '.') return false;
    rest.remove_prefix(1);
    return true;
}

} // namespace

std::optional<Version> Version::parse(std::string_view text) noexcept {
    Version version;
    version.major = take_number(text);
    if (version.major < 0 || !take_dot(text)) return {};
    version.minor = take_number(text);
    if (version.minor < 0 || !take_dot(text)) return {};
    version.patch = take_number(text);
    if (version.patch < 0 || !text.empty()) return {};
    return version;
}

std::string to_string(const Version& version) {
    return text(version.major, '.', version.minor, '.', version.patch);
}

Version supported_version(std::string_view text, int process) {
    throw_if_violated(rules::version_is_three_numbers(text, process));
    const Version version = *Version::parse(text);
    throw_if_violated(rules::version_is_supported(version, process));
    return version;
}

Version writable_version(std::string_view wanted) {
    const std::optional<Version> version = Version::parse(wanted);
    if (!version)
        throw ProtocolError(text("DAP export: the version is ", impl::quoted(wanted),
                                 ", expected three dotted numbers"),
                            std::string(reason::version_format), -1, "__version__");
    throw_if_violated(impl::check_writable(*version));
    return *version;
}

} // namespace distview::protocol
