// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace distview {

namespace impl {
// Not inline: streams in every function that builds a message would take much of the compile time.
void append_number(std::string& to, std::int64_t number);
void append_number(std::string& to, std::uint64_t number);
void append_number(std::string& to, double number);

template <class Part>
inline constexpr bool is_character =
    std::is_same_v<Part, char> || std::is_same_v<Part, signed char> ||
    std::is_same_v<Part, unsigned char>;

template <class Part>
void append_text(std::string& to, const Part& part) {
    static_assert(!std::is_function_v<Part>, "text(): manipulators of streams have no effect");
    if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
        to += std::string_view(part);
    } else if constexpr (is_character<Part>) {
        to += static_cast<char>(part);
    } else if constexpr (std::is_integral_v<Part>) {
        append_number(
            to,
            static_cast<std::conditional_t<std::is_signed_v<Part>, std::int64_t, std::uint64_t>>(
                part));
    } else if constexpr (std::is_same_v<Part, double> || std::is_same_v<Part, float>) {
        append_number(to, static_cast<double>(part));
    } else {
        std::ostringstream out;
        out << part;
        to += out.view();
    }
}
} // namespace impl

/// Joins texts and numbers into one string, each part as a new `std::ostream` would print it.
template <class... Parts>
std::string text(const Parts&... parts) {
    std::string result;
    (impl::append_text(result, parts), ...);
    return result;
}

/// The shortest text that reads back as the same number; text() keeps only six digits.
std::string exact_text(double number);

/// Number of bytes of a text that fit into `most`, without cutting a character of UTF-8 in two.
inline std::size_t end_of_text(std::string_view value, std::size_t most) noexcept {
    if (value.size() <= most) return value.size();
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
    return cut;
}

/// The beginning of a text of any length, for messages, followed by "..." if the text has more
/// than `most` bytes.
inline std::string shortened(std::string_view value, std::size_t most = 40) {
    const std::size_t cut = end_of_text(value, most);
    return std::string(value.substr(0, cut)) + (cut < value.size() ? "..." : "");
}

/// The first lines in which two texts differ, "nothing" for the end of a text; equal lines if the texts are equal.
std::pair<std::string, std::string> first_difference(const std::string& one,
                                                     const std::string& other);

/// "(1, 2, 3)" for any container of printable values.
template <class Container>
std::string tuple_text(const Container& values) {
    std::string result = "(";
    const char* separator = "";
    for (const auto& value : values) {
        result += separator;
        impl::append_text(result, value);
        separator = ", ";
    }
    return result += ')';
}

} // namespace distview
