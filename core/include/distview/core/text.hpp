// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
