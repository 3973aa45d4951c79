// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/index_list.hpp>
#include <distview/core/error.hpp>
#include <distview/core/process_grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Index = std::vector<std::int64_t>;

void expect_indices(const IndexList& list, const Index& expected) {
    EXPECT_EQ(list.rank(), 1);
    EXPECT_EQ(list.size(), std::ssize(expected));
    ASSERT_EQ(list.parts().size(), expected.empty() ? 0U : 1U);
    for (const IndexList::Part& part : list.parts())
        EXPECT_EQ(part.axes, std::vector<Index>{expected});
}

// A single index in braces is also a list; it is no number of axes.
TEST(IndexList, takes_indices_in_braces) {
    const int index = 9;
    expect_indices(IndexList({1}), {1});
    expect_indices(IndexList({0}), {0});
    expect_indices(IndexList({7}), {7});
    expect_indices(IndexList({-3}), {-3});
    expect_indices(IndexList({index}), {9});
    expect_indices(IndexList({7, 3, 3}), {7, 3, 3});
    expect_indices(IndexList({}), {});
    const IndexList named({7});
    expect_indices(named, {7});
    const IndexList braced{{7}};
    expect_indices(braced, {7});
    const Index indices{4, 2};
    expect_indices(IndexList(indices), indices);
    expect_indices(IndexList({indices.begin(), indices.end()}), indices);
    expect_indices(IndexList(Index{2}), {2});
}

TEST(IndexList, takes_a_number_of_axes) {
    EXPECT_EQ(IndexList(2).rank(), 2);
    EXPECT_EQ(IndexList(2).size(), 0);
    const IndexList braced{2};
    EXPECT_EQ(braced.rank(), 2);
    EXPECT_EQ(braced.size(), 0);
    EXPECT_EQ(IndexList(std::size_t{3}).rank(), 3);
    EXPECT_EQ(IndexList(max_rank).rank(), max_rank);
    EXPECT_THROW(IndexList(0), UsageError);
    EXPECT_THROW(IndexList(max_rank + 1), UsageError);
    EXPECT_THROW(IndexList((std::int64_t{1} << 32) + 1), UsageError);
}

TEST(IndexList, counts_elements_of_all_parts) {
    IndexList list(2);
    list.add_element({4, 5});
    EXPECT_EQ(list.size(), 1);
    list.add_box({{0, 2}, {10, 16, 2}});
    EXPECT_EQ(list.size(), 7);
    list.add_box({{0, 0}, {0, 5}});
    EXPECT_EQ(list.size(), 7);
    list.add_product({{3, 1}, {0, 8}});
    EXPECT_EQ(list.size(), 11);
    list.add_elements(Index{1, 2, 3, 4});
    list.add_element({5, 6});
    EXPECT_EQ(list.size(), 14);
    EXPECT_EQ(list.parts().size(), 4U);
}

TEST(IndexList, takes_its_own_numbers) {
    IndexList list({1, 2, 3});
    for (const int size : {3, 6, 12}) {
        const std::vector<std::int64_t> numbers = list.parts().back().axes[0];
        EXPECT_EQ(list.size(), size);
        list.add_elements(list.parts().back().axes[0]);
        EXPECT_EQ(list.parts().back().axes[0].size() % 3, 0U);
        EXPECT_TRUE(
            std::equal(numbers.rbegin(), numbers.rend(), list.parts().back().axes[0].rbegin()));
    }
}

TEST(IndexList, has_no_elements_after_a_move) {
    IndexList list({7, 3});
    IndexList moved(std::move(list));
    // NOLINTBEGIN(bugprone-use-after-move)
    EXPECT_EQ(moved.size(), 2);
    EXPECT_EQ(list.size(), 0);
    EXPECT_EQ(list.parts().size(), 0U);
    list.add_element({5});
    expect_indices(list, {5});
    list = std::move(moved);
    expect_indices(list, {7, 3});
    EXPECT_EQ(moved.size(), 0);
    // NOLINTEND(bugprone-use-after-move)
}

} // namespace

} // namespace distview::testing
