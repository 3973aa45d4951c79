// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/memory_overlap.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

/// Elements at an address that is never read.
AnySection at(std::int64_t address, std::int64_t bytes, std::vector<std::int64_t> extents,
              std::vector<std::int64_t> strides) {
    AnySection section;
    section.data = reinterpret_cast<void*>(0x10000 + address);
    section.element = {ElementKind::opaque, bytes};
    section.extents = std::move(extents);
    section.strides = std::move(strides);
    return section;
}

/// Whether sections overlap; checks both orders of arguments.
bool meet(const AnySection& a, const AnySection& b) {
    EXPECT_EQ(memory_overlaps(a, b), memory_overlaps(b, a));
    EXPECT_TRUE(memory_overlaps(a, a));
    return memory_overlaps(a, b);
}

std::set<std::int64_t> bytes_of(const AnySection& section) {
    std::set<std::int64_t> addresses{reinterpret_cast<std::intptr_t>(section.data)};
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        std::set<std::int64_t> more;
        for (const std::int64_t address : addresses)
            for (std::int64_t i = 0; i < section.extents[d]; ++i)
                more.insert(address + i * section.strides[d]);
        addresses = std::move(more);
    }
    std::set<std::int64_t> result;
    for (const std::int64_t address : addresses)
        for (std::int64_t b = 0; b < section.element.bytes; ++b) result.insert(address + b);
    return result;
}

} // namespace

TEST(MemoryOverlap, slices_of_one_line) {
    const auto slice = [](std::int64_t begin, std::int64_t step, std::int64_t count) {
        return at(8 * begin, 8, {count}, {8 * step});
    };
    EXPECT_FALSE(meet(slice(0, 2, 500'000'000), slice(1, 2, 500'000'000)));
    EXPECT_TRUE(meet(slice(0, 2, 50), slice(2, 2, 50)));
    EXPECT_FALSE(meet(slice(0, 2, 50), slice(100, 2, 50)));
    EXPECT_FALSE(meet(slice(0, 4, 1'000'000), slice(1, 2, 1'000'000)));
    EXPECT_TRUE(meet(slice(0, 3, 50), slice(1, 2, 50)));
    EXPECT_FALSE(meet(slice(0, 3, 1), slice(1, 2, 50)));
    // With negative steps.
    EXPECT_FALSE(meet(slice(98, -2, 50), slice(1, 2, 50)));
    EXPECT_TRUE(meet(slice(99, -2, 50), slice(1, 2, 50)));
    // Elements that reach into elements of the other section.
    EXPECT_TRUE(meet(slice(0, 2, 50), at(12, 8, {50}, {16})));
    EXPECT_FALSE(meet(slice(0, 2, 50), at(12, 4, {50}, {16})));
}

TEST(MemoryOverlap, slices_of_a_matrix) {
    const auto slice = [](std::array<std::int64_t, 3> rows, std::array<std::int64_t, 3> columns,
                          std::int64_t length) {
        return at(8 * (rows[0] * length + columns[0]), 8, {rows[2], columns[2]},
                  {8 * length * rows[1], 8 * columns[1]});
    };
    for (const std::int64_t n : {1000, 1001}) { // even and odd columns, for even and odd rows
        EXPECT_FALSE(meet(slice({0, 1, n}, {0, 2, n / 2}, n), slice({0, 1, n}, {1, 2, n / 2}, n)));
        EXPECT_FALSE(meet(slice({0, 2, n / 2}, {0, 1, n}, n), slice({1, 2, n / 2}, {0, 1, n}, n)));
        EXPECT_FALSE(
            meet(slice({0, 1, n}, {0, 1, n / 2}, n), slice({0, 1, n}, {n / 2, 1, n / 2}, n)));
        EXPECT_TRUE(
            meet(slice({0, 1, n}, {0, 1, n / 2 + 1}, n), slice({0, 1, n}, {n / 2, 1, 2}, n)));
        // Every other row of a chessboard pattern, shifted.
        EXPECT_FALSE(meet(slice({0, 4, 50}, {200, 1, 300}, n), slice({1, 4, 50}, {0, 1, 900}, n)));
        // One column belongs to every third column, the other does not.
        EXPECT_TRUE(meet(slice({0, 1, n}, {3, 3, 100}, n), slice({7, 1, 1}, {33, 7, 1}, n)));
        EXPECT_FALSE(meet(slice({0, 1, n}, {3, 3, 100}, n), slice({7, 1, 1}, {34, 7, 1}, n)));
    }
    const AnySection by_rows = at(0, 8, {40, 40}, {320, 8});
    const AnySection by_columns = at(0, 8, {40, 40}, {8, 320});
    EXPECT_TRUE(meet(by_rows, by_columns));
}

TEST(MemoryOverlap, what_has_no_elements_meets_nothing) {
    const AnySection some = at(0, 8, {4}, {8});
    EXPECT_FALSE(memory_overlaps(some, at(0, 8, {0}, {8})));
    EXPECT_FALSE(memory_overlaps(at(0, 8, {3, 0}, {8, 8}), some));
    EXPECT_TRUE(memory_overlaps(some, at(24, 8, {}, {})));
    EXPECT_FALSE(memory_overlaps(some, at(32, 8, {}, {})));
    AnySection none;
    EXPECT_FALSE(memory_overlaps(some, none));
}

// With a stride of zero one element appears many times.
TEST(MemoryOverlap, strides_of_zero) {
    EXPECT_TRUE(meet(at(0, 8, {1 << 30}, {0}), at(4, 8, {2}, {8})));
    EXPECT_FALSE(meet(at(0, 8, {1 << 30}, {0}), at(8, 8, {2}, {8})));
}

// Oracle: the sets of bytes.
TEST(MemoryOverlap, random_sections_as_their_bytes) {
    std::mt19937_64 random(7);
    const auto below = [&](std::int64_t count) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    };
    const auto some = [&] {
        const auto rank = static_cast<std::size_t>(below(4));
        std::vector<std::int64_t> extents, strides;
        for (std::size_t d = 0; d < rank; ++d) {
            extents.push_back(1 + below(5));
            strides.push_back(below(40) - 12);
        }
        return at(below(120), 1 + below(4), extents, strides);
    };
    int apart = 0;
    int together = 0;
    for (int i = 0; i < 20'000; ++i) {
        const AnySection a = some();
        const AnySection b = some();
        bool expected = false;
        const std::set<std::int64_t> bytes = bytes_of(a);
        for (const std::int64_t address : bytes_of(b))
            expected = expected || bytes.contains(address);
        ASSERT_EQ(memory_overlaps(a, b), expected) << i;
        ++(expected ? together : apart);
    }
    EXPECT_GT(apart, 5000);
    EXPECT_GT(together, 3000);
}

} // namespace distview::testing
