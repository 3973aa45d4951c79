// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_checks.hpp"
#include "random_layouts.hpp"

#include <distview/core/array_layout.hpp>
#include <distview/core/unstructured_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace distview::testing {

namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

ArrayLayout layout_of(const Lists& lists, bool one_to_one = false) {
    return ArrayLayout(ProcessGrid{static_cast<int>(lists.size())},
                       {unstructured(lists, one_to_one)});
}

/// The first difference from a search through all lists, for every label in [first, last]; "" if
/// none differs.
std::string find_difference_from_search(const UnstructuredLayout& layout, const Lists& lists,
                                        std::int64_t first, std::int64_t last) {
    for (std::int64_t label = first; label <= last; ++label) {
        const GlobalIndex g(label);
        int owner = -1;
        for (std::size_t p = lists.size(); p-- > 0;) {
            const auto found = std::find(lists[p].begin(), lists[p].end(), label);
            const std::int64_t position =
                found == lists[p].end() ? -1 : static_cast<std::int64_t>(found - lists[p].begin());
            if (position >= 0) owner = static_cast<int>(p);
            if (layout.to_local(static_cast<int>(p), g) != position)
                return text("to_local(", p, ", ", label, ") is ",
                            layout.to_local(static_cast<int>(p), g).value(), ", expected ",
                            position);
        }
        if (layout.owner(g) != owner)
            return text("owner(", label, ") is ", layout.owner(g), ", expected ", owner);
    }
    for (std::size_t p = 0; p < lists.size(); ++p) {
        const int process = static_cast<int>(p);
        const auto extent = static_cast<std::int64_t>(lists[p].size());
        if (layout.local_extent(process) != extent)
            return text("local_extent(", p, ") is ", layout.local_extent(process));
        for (LocalIndex l(0); l < extent; ++l)
            if (layout.to_global(process, l) != lists[p][l] ||
                layout.labels(process)[l] != lists[p][l])
                return text("to_global(", p, ", ", l.value(), ") is wrong");
        for (std::int64_t i = 0; i < extent; ++i) {
            const std::int64_t label = layout.sorted_labels(process)[i];
            if (i > 0 && layout.sorted_labels(process)[i - 1] >= label)
                return text("sorted_labels(", p, ") do not ascend at ", i);
            if (layout.to_global(process, LocalIndex(layout.sorted_positions(process)[i])) != label)
                return text("sorted_positions(", p, ")[", i, "] is wrong");
        }
    }
    for (std::int64_t i = 0; i < layout.size(); ++i) {
        const GlobalIndex label(layout.all_labels()[i]);
        if (i > 0 && label <= layout.all_labels()[i - 1]) return text("all_labels() at ", i);
        if (layout.all_owners()[i] != layout.owner(label)) return text("all_owners() at ", i);
    }
    return {};
}

} // namespace

// Vector of the specification of index maps, 3.4.
TEST(UnstructuredLayout, labels_are_negative_unordered_and_beyond_size) {
    const ArrayLayout array = layout_of({{7, -3, 100}, {}, {9, 8, 5}});
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_EQ(layout.size(), 6);
    EXPECT_EQ(layout.protocol_size(), 6);
    EXPECT_EQ(layout.grid_size(), 3);
    EXPECT_EQ(layout.known_process(), -1);
    EXPECT_FALSE(layout.one_to_one());
    EXPECT_EQ(layout.owner(GlobalIndex(-3)), 0);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(-3)), 1);
    EXPECT_EQ(layout.owner(GlobalIndex(0)), -1);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(0)), -1);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(9)), -1);
    EXPECT_EQ(layout.local_extent(1), 0);
    EXPECT_EQ(find_difference(layout, plain_sections({{7, -3, 100}, {}, {9, 8, 5}})), "");
    EXPECT_EQ(find_flaw(layout, {7, -3, 100, 9, 8, 5}), "");
}

TEST(UnstructuredLayout, a_shared_label_belongs_to_the_lowest_process) {
    const Lists lists{{4, 1}, {2, 4}, {4, 3, 2}};
    const ArrayLayout array = layout_of(lists);
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_EQ(layout.size(), 4) << "distinct labels";
    EXPECT_EQ(layout.owner(GlobalIndex(4)), 0);
    EXPECT_EQ(layout.owner(GlobalIndex(2)), 1);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(4)), 1);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(4)), 0);
    EXPECT_EQ(find_difference_from_search(layout, lists, -1, 6), "");
}

TEST(UnstructuredLayout, labels_may_be_any_64_bit_integer) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const ArrayLayout array = layout_of({{most, 0}, {least, -1}}, true);
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_TRUE(layout.one_to_one());
    EXPECT_EQ(find_flaw(layout, {most, 0, least, -1}), "");
    EXPECT_EQ(layout.owner(GlobalIndex(least)), 1);
    EXPECT_EQ(layout.owner(GlobalIndex(most)), 0);
    EXPECT_EQ(layout.owner(GlobalIndex(most - 1)), -1);
}

TEST(UnstructuredLayout, may_be_empty) {
    const ArrayLayout array = layout_of({{}, {}});
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_EQ(layout.size(), 0);
    EXPECT_EQ(layout.owner(GlobalIndex(0)), -1);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(0)), -1);
    EXPECT_EQ(find_flaw(layout, {}), "");
}

TEST(UnstructuredLayout, random_one_to_one_lists_keep_their_promises) {
    for_each_case(2000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 9));
        const Lists lists = random_labels(random, process_count, random.integer(0, 41));
        std::vector<std::int64_t> labels;
        for (const auto& list : lists) labels.insert(labels.end(), list.begin(), list.end());
        const ArrayLayout array = layout_of(lists, true);
        const UnstructuredLayout& layout = array.axis(0).as_unstructured();
        ASSERT_EQ(find_difference(layout, plain_sections(lists)), "");
        ASSERT_EQ(find_flaw(layout, labels), "");
    });
}

TEST(UnstructuredLayout, random_shared_lists_equal_a_search) {
    for_each_case(2000, [](Random& random, std::uint64_t) {
        Lists lists(static_cast<std::size_t>(random.integer(1, 8)));
        std::set<std::int64_t> distinct;
        for (auto& list : lists) {
            for (std::int64_t i = random.integer(0, 9); i > 0; --i) {
                const std::int64_t label = random.integer(-10, 11);
                if (std::find(list.begin(), list.end(), label) == list.end()) list.push_back(label);
            }
            distinct.insert(list.begin(), list.end());
        }
        const ArrayLayout array = layout_of(lists);
        const UnstructuredLayout& layout = array.axis(0).as_unstructured();
        ASSERT_EQ(layout.size(), static_cast<std::int64_t>(distinct.size()));
        ASSERT_EQ(find_difference_from_search(layout, lists, -12, 12), "");
    });
}

TEST(UnstructuredLayout, may_know_one_process_only) {
    const ArrayLayout array(ProcessGrid{3}, {unstructured_local(6, 2, {9, 8, 5}, true)});
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_EQ(layout.size(), 6);
    EXPECT_EQ(layout.grid_size(), 3);
    EXPECT_EQ(layout.known_process(), 2);
    EXPECT_TRUE(layout.one_to_one());
    EXPECT_EQ(layout.local_extent(2), 3);
    EXPECT_EQ(layout.to_global(2, LocalIndex(1)), 8);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(5)), 2);
    EXPECT_EQ(layout.owner(GlobalIndex(5)), 2);
    EXPECT_EQ(layout.owner(GlobalIndex(7)), -1);
}

TEST(UnstructuredLayout, reads_its_tables_where_it_is_told) {
    const Lists lists{{7, -3, 100}, {}, {9, 8, 5}};
    const std::vector<std::int64_t> copy{0,  3,  3,   6,         // offsets
                                         7,  -3, 100, 9, 8, 5,   // labels
                                         -3, 7,  100, 5, 8, 9,   // each list sorted
                                         1,  0,  2,   2, 1, 0,   // their positions
                                         -3, 5,  7,   8, 9, 100, // all labels sorted
                                         0,  2,  0,   2, 2, 0};  // their owners
    std::vector<std::int64_t> original = copy;
    const std::int64_t* at = original.data();
    const UnstructuredLayout there(6, 3, true, {at, at + 4, at + 10, at + 16, at + 22, at + 28, 6});
    EXPECT_EQ(find_difference_from_search(there, lists, -5, 102), "");
    const UnstructuredLayout here = there.with_tables(original.data(), copy.data());
    // The original is overwritten: a layout that still reads it would be wrong.
    std::fill(original.begin(), original.end(), 1);
    EXPECT_EQ(find_difference_from_search(here, lists, -5, 102), "");
}

// The example of the class comment: process 0 has a ghost of 9, process 2 one of 7.
TEST(UnstructuredLayout, ghosts_are_held_but_not_owned) {
    const ArrayLayout array(ProcessGrid{3},
                            {unstructured({{7, -3, 9}, {}, {9, 8, 5, 7}}, {.ghosts = {1, 0, 1}})});
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_TRUE(layout.has_ghosts());
    EXPECT_EQ(layout.size(), 5);
    EXPECT_EQ(layout.ghosts(0), 1);
    EXPECT_EQ(layout.owner(GlobalIndex(9)), 2);
    EXPECT_EQ(layout.owner(GlobalIndex(7)), 0);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(9)), 2);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(9)), 0);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(7)), 3);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(7)), -1);
    std::vector<ExpectedSection> sections = plain_sections({{7, -3, 9}, {}, {9, 8, 5, 7}});
    for (const int p : {0, 2}) {
        ExpectedSection& section = sections[static_cast<std::size_t>(p)];
        section.owned.end = section.interior.end = section.owned.end - 1;
    }
    EXPECT_EQ(find_difference(layout, sections), "");
    EXPECT_EQ(find_flaw(layout, {7, -3, 9, 8, 5}), "");
}

TEST(UnstructuredLayout, random_ghosts_equal_a_search) {
    for_each_case(2000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 9));
        Lists lists = random_labels(random, process_count, random.integer(0, 30));
        std::vector<ExpectedSection> sections = plain_sections(lists);
        std::vector<std::int64_t> labels;
        for (const auto& list : lists) labels.insert(labels.end(), list.begin(), list.end());
        const std::vector<std::int64_t> ghosts = append_random_ghosts(random, lists);
        for (std::size_t p = 0; p < lists.size(); ++p) sections[p].held = lists[p];
        const ArrayLayout array(ProcessGrid{process_count},
                                {unstructured(lists, {.ghosts = ghosts})});
        // The tables are copied; a layout that still reads the original would be wrong.
        std::vector<std::int64_t> original(array.tables().begin(), array.tables().end());
        const std::vector<std::int64_t> copy = original;
        const UnstructuredLayout layout = array.axis(0)
                                              .as_unstructured()
                                              .with_tables(array.tables().data(), original.data())
                                              .with_tables(original.data(), copy.data());
        std::fill(original.begin(), original.end(), 1);
        ASSERT_EQ(layout.size(), std::ssize(labels));
        ASSERT_EQ(find_difference(layout, sections), "");
        ASSERT_EQ(find_flaw(layout, labels), "");
        for (int p = 0; p < process_count; ++p) {
            ASSERT_EQ(layout.ghosts(p), ghosts[static_cast<std::size_t>(p)]);
            const std::int64_t* const sorted = layout.sorted_labels(p);
            const std::int64_t owned = layout.owned_local(p).size();
            ASSERT_TRUE(std::is_sorted(sorted, sorted + owned));
            ASSERT_TRUE(std::is_sorted(sorted + owned, sorted + layout.local_extent(p)));
        }
    });
}

TEST(UnstructuredLayout, ghosts_of_one_process) {
    const ArrayLayout array(ProcessGrid{3},
                            {unstructured_local(5, 2, {9, 8, 5, 7}, {.ghosts = {1}})});
    const UnstructuredLayout& layout = array.axis(0).as_unstructured();
    EXPECT_EQ(layout.size(), 5);
    EXPECT_EQ(layout.ghosts(2), 1);
    EXPECT_EQ(layout.local_extent(2), 4);
    EXPECT_EQ(layout.owned_local(2).size(), 3);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(7)), 3);
    EXPECT_EQ(layout.owner(GlobalIndex(9)), 2);
    EXPECT_EQ(layout.owner(GlobalIndex(7)), -1)
        << "another process owns it, which one is not known";
}

} // namespace distview::testing
