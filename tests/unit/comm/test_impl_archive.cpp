// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/archive.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::packed;
using distview::impl::unpacked;

enum class Colour : char { red, green };

struct Point {
    std::int64_t x = 0;
    double y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Drawing {
    int number = 0;
    bool is_shown = false;
    Colour colour = Colour::red;
    std::string name{};
    std::vector<std::int64_t> ids{};
    std::vector<Point> points{};
    std::vector<std::vector<std::string>> words{};
    std::optional<Point> centre{};
    std::optional<std::string> comment{};
    std::variant<std::monostate, int, Point, std::vector<int>> shape{};
    std::tuple<int, Point> pair{};
    friend bool operator==(const Drawing&, const Drawing&) = default;
};

struct Members {
    static std::tuple<> of(std::monostate&) { return {}; }
    static auto of(Point& it) { return std::tie(it.x, it.y); }
    static auto of(Drawing& it) {
        return std::tie(it.number, it.is_shown, it.colour, it.name, it.ids, it.points, it.words,
                        it.centre, it.comment, it.shape, it.pair);
    }
};

Drawing example() {
    return {.number = -3,
            .is_shown = true,
            .colour = Colour::green,
            .name = std::string("a\0b", 3),
            .ids = {1, std::numeric_limits<std::int64_t>::min(), 7},
            .points = {{1, 0.5}, {-2, -0.25}},
            .words = {{}, {"", "two"}},
            .centre = Point{8, 9},
            .comment = {},
            .shape = Point{4, 5},
            .pair = {6, {7, 8}}};
}

TEST(Archive, BringsBackWhatWasPacked) {
    for (const Drawing& drawing : {Drawing(), example()}) {
        const std::string bytes = packed<Members>(drawing);
        EXPECT_TRUE((unpacked<Members, Drawing>(bytes) == drawing));
    }
}

TEST(Archive, KeepsTheAlternativeOfAVariant) {
    Drawing drawing;
    for (int alternative = 0; alternative < 4; ++alternative) {
        if (alternative == 1) drawing.shape = 17;
        if (alternative == 2) drawing.shape = Point{1, 2};
        if (alternative == 3) drawing.shape = std::vector<int>{1, 2, 3};
        const auto back = unpacked<Members, Drawing>(packed<Members>(drawing));
        EXPECT_EQ(back.shape.index(), static_cast<std::size_t>(alternative));
        EXPECT_TRUE(back == drawing);
    }
}

TEST(Archive, RefusesBytesThatEndTooEarlyOrTooLate) {
    const std::string bytes = packed<Members>(example());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW((unpacked<Members, Drawing>(std::string_view(bytes).substr(0, size))), Error)
            << size << " of " << bytes.size();
    EXPECT_THROW((unpacked<Members, Drawing>(bytes + '\0')), Error);
}

TEST(Archive, RefusesSizesAndAlternativesThatCannotBe) {
    // A size in the text must not cause an allocation of that size.
    const std::string size = packed<Members>(std::numeric_limits<std::size_t>::max());
    EXPECT_THROW((unpacked<Members, std::string>(size)), Error);
    EXPECT_THROW((unpacked<Members, std::vector<std::int64_t>>(size)), Error);
    EXPECT_THROW((unpacked<Members, std::vector<Point>>(size)), Error);
    const std::string index = packed<Members>(std::size_t{2});
    EXPECT_THROW((unpacked<Members, std::variant<int, double>>(index + "12345678")), Error);
    EXPECT_THROW((unpacked<Members, bool>("\x02")), Error);
    EXPECT_THROW((unpacked<Members, std::optional<int>>("\x02"
                                                        "1234")),
                 Error);
}

} // namespace

} // namespace distview::testing
