// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

namespace distview {

/// Joins texts and numbers into one string, as `std::ostream` would print them.
template <class... Parts>
std::string text(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

/// The beginning of a text that may be of any length, for messages: followed by "..." where it has more
/// than `most` bytes. Does not cut a character of UTF-8 in two.
inline std::string shortened(std::string_view value, std::size_t most = 40) {
    if (value.size() <= most) return std::string(value);
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
    return std::string(value.substr(0, cut)) + "...";
}

/// "(1, 2, 3)" of any container of printable values.
template <class Container>
std::string tuple_text(const Container& values) {
    std::ostringstream out;
    out << '(';
    const char* separator = "";
    for (const auto& value : values) {
        out << separator << value;
        separator = ", ";
    }
    out << ')';
    return out.str();
}

} // namespace distview
