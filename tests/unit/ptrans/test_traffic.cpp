// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traffic.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <distview/core/text.hpp>

#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using ptrans::Shape;
using ptrans::Traffic;

/// The reference: compares the owners of each element in A and in C.
Traffic counted(const Shape& shape) {
    std::vector<std::set<int>> partners(static_cast<std::size_t>(shape.p * shape.q));
    std::int64_t wire_elements = 0;
    for (std::int64_t i = 0; i < shape.m; ++i)
        for (std::int64_t j = 0; j < shape.n; ++j) {
            const std::int64_t row_block = i / shape.mb;
            const std::int64_t column_block = j / shape.nb;
            const auto from =
                static_cast<int>(row_block % shape.p * shape.q + column_block % shape.q);
            const auto to =
                static_cast<int>(column_block % shape.p * shape.q + row_block % shape.q);
            partners[static_cast<std::size_t>(from)].insert(to);
            partners[static_cast<std::size_t>(to)].insert(from);
            if (from != to) ++wire_elements;
        }
    Traffic traffic;
    for (const auto& of_process : partners)
        traffic.partners.push_back(static_cast<int>(of_process.size()));
    traffic.wire_bytes = 8 * wire_elements;
    return traffic;
}

Traffic scheduled(const Shape& shape) {
    return ptrans::traffic_of(RedistributionSchedule(
        ptrans::layout_of_a(shape), ptrans::layout_of_c(shape), {.permutation = {1, 0}}));
}

std::string text_of(const Shape& shape) {
    return text(shape.m, " x ", shape.n, " in ", shape.mb, " x ", shape.nb, " on ", shape.p, " x ",
                shape.q);
}

TEST(TrafficTest, formulas_where_blocks_repeat) {
    int held = 0;
    for (int p = 1; p <= 6; ++p)
        for (int q = 1; q <= 6; ++q)
            for (const std::int64_t times : {1, 2}) {
                const std::int64_t l = std::lcm(p, q);
                const Shape shape{2 * l * times, 3 * l, 2, 3, p, q};
                SCOPED_TRACE(text_of(shape));
                ASSERT_TRUE(ptrans::formulas_hold(shape));
                const Traffic traffic = counted(shape);
                EXPECT_EQ(traffic.partners, std::vector<int>(static_cast<std::size_t>(p * q),
                                                             ptrans::partners_by_formula(shape)));
                EXPECT_EQ(traffic.wire_bytes, ptrans::wire_bytes_by_formula(shape));
                EXPECT_EQ(scheduled(shape).partners, traffic.partners);
                EXPECT_EQ(scheduled(shape).wire_bytes, traffic.wire_bytes);
                ++held;
            }
    EXPECT_EQ(held, 72);
}

TEST(TrafficTest, formulas_of_known_grids) {
    EXPECT_EQ(ptrans::partners_by_formula({.p = 4, .q = 4}), 1);
    EXPECT_EQ(ptrans::partners_by_formula({.p = 2, .q = 3}), 6);
    EXPECT_EQ(ptrans::partners_by_formula({.p = 4, .q = 6}), 6);
    EXPECT_EQ(ptrans::partners_by_formula({.p = 1, .q = 2}), 2);
    EXPECT_EQ(ptrans::wire_bytes_by_formula({4096, 4096, 128, 128, 1, 2}), 64 << 20);
    EXPECT_FALSE(ptrans::formulas_hold({4000, 4000, 128, 128, 1, 2}));
    EXPECT_FALSE(ptrans::formulas_hold({1152, 1280, 128, 128, 1, 2})); // 9 x 10 blocks
}

TEST(TrafficTest, any_shape_by_counting) {
    for_each_case(300, [](Random& random, std::uint64_t) {
        const Shape shape{random.integer(1, 40),
                          random.integer(1, 40),
                          random.integer(1, 12),
                          random.integer(1, 12),
                          static_cast<int>(random.integer(1, 7)),
                          static_cast<int>(random.integer(1, 7))};
        SCOPED_TRACE(text_of(shape));
        const Traffic expected = counted(shape);
        const Traffic traffic = scheduled(shape);
        EXPECT_EQ(traffic.partners, expected.partners);
        EXPECT_EQ(traffic.wire_bytes, expected.wire_bytes);
        if (ptrans::formulas_hold(shape)) {
            EXPECT_EQ(ptrans::wire_bytes_by_formula(shape), expected.wire_bytes);
        }
    });
}

} // namespace

} // namespace distview::testing
