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
