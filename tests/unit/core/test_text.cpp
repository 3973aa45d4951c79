// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/text.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace distview::testing {

namespace {

enum Unscoped { seven = 7 };

template <class Part>
void expect_as_printed(const Part& part) {
    std::ostringstream out;
    out << part;
    EXPECT_EQ(text(part), out.str());
}

} // namespace

TEST(Text, PartsAreAsStreamsPrintThem) {
    expect_as_printed("words");
    expect_as_printed(std::string("words"));
    expect_as_printed(std::string_view("a\0b", 3));
    expect_as_printed('c');
    expect_as_printed(static_cast<signed char>('s'));
    expect_as_printed(static_cast<unsigned char>('u'));
    expect_as_printed(true);
    expect_as_printed(false);
    expect_as_printed(static_cast<short>(-3));
    expect_as_printed(seven);
    expect_as_printed(std::numeric_limits<std::int64_t>::min());
    expect_as_printed(std::numeric_limits<std::uint64_t>::max());
    for (const double number : {0.0, -0.0, 1.0, 1e-10, 1.0 / 3, 123456789.0, 1e300, std::nan(""),
                                std::numeric_limits<double>::infinity()}) {
        expect_as_printed(number);
        expect_as_printed(static_cast<float>(number));
        expect_as_printed(static_cast<long double>(number));
    }
    const int place = 0;
    expect_as_printed(static_cast<const void*>(&place));
    EXPECT_EQ(text("expected ", 3, " ranks, got ", 2U, '.'), "expected 3 ranks, got 2.");
    EXPECT_EQ(text(), "");
}

TEST(Text, TuplesOfAnything) {
    EXPECT_EQ(tuple_text(std::vector<int>{}), "()");
    EXPECT_EQ(tuple_text(std::vector<int>{1, -2, 3}), "(1, -2, 3)");
    EXPECT_EQ(tuple_text(std::vector<std::string>{"a", "b"}), "(a, b)");
}

TEST(Text, ExactTextIsReadAsTheSameNumber) {
    EXPECT_EQ(exact_text(1e-8), "1e-08");
    for (const double number : {1.0 / 3, std::nextafter(1e-8, 1.0), -0.0, 1.7976931348623157e308})
        EXPECT_EQ(std::stod(exact_text(number)), number);
    EXPECT_NE(exact_text(std::nextafter(1e-8, 1.0)), exact_text(1e-8));
}

} // namespace distview::testing
