// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/text.hpp>

#include <array>
#include <charconv>
#include <locale>

namespace distview {

std::string exact_text(double number) {
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return {digits.data(), end};
}

std::pair<std::string, std::string> first_difference(const std::string& one,
                                                     const std::string& other) {
    std::istringstream lines(one);
    std::istringstream other_lines(other);
    std::string line;
    std::string other_line;
    do {
        if (!std::getline(lines, line)) line = "nothing";
        if (!std::getline(other_lines, other_line)) other_line = "nothing";
    } while (line == other_line && (lines || other_lines));
    return {line, other_line};
}

} // namespace distview

namespace distview::impl {

void append_number(std::string& to, std::int64_t number) { to += std::to_string(number); }
void append_number(std::string& to, std::uint64_t number) { to += std::to_string(number); }
void append_number(std::string& to, double number) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << number;
    to += out.view();
}

} // namespace distview::impl
