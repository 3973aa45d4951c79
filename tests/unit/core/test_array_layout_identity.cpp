// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two array layouts are equal, and how they describe themselves.
#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

ArrayLayout line(int process_count, const AxisSpec& axis) {
    return ArrayLayout(ProcessGrid{process_count}, {axis});
}

/// All properties that distinguish one axis from another, process by process.
std::string meaning_of(const AxisLayout& axis) {
    std::string result = text(static_cast<char>(axis.type()), axis.grid_size(), '|', axis.size());
    for (int p = 0; p < axis.grid_size(); ++p) {
        const Widths copies = axis.communication_padding(p);
        const Widths edge = axis.boundary_padding(p);
        result += text(" [", copies.low, ',', edge.low, ',', edge.high, ',', copies.high, ':');
        for (LocalIndex l(0); l < axis.local_extent(p); ++l)
            result += text(' ', axis.to_global(p, l).value());
        if (axis.type() == DistType::unstructured)
            result += text(" of which own ", axis.owned_local(p).size());
        result += ']';
    }
    if (axis.periodic()) result += " periodic";
    if (axis.type() == DistType::cyclic) result += text(" by ", axis.as_cyclic().block_size());
    if (axis.type() == DistType::unstructured)
        result += axis.as_unstructured().one_to_one() ? " one to one" : "";
    return result;
}

std::string meaning_of(const ArrayLayout& layout) {
    std::string result = layout.grid().describe();
    for (int d = 0; d < layout.rank(); ++d) result += " / " + meaning_of(layout.axis(d));
    return result;
}

/// Appends all ascending bounds of `process_count` blocks that end at `size`.
void list_bounds(std::int64_t size, int process_count, std::vector<std::int64_t> begun,
                 std::vector<std::vector<std::int64_t>>& found) {
    if (static_cast<int>(begun.size()) == process_count) {
        begun.push_back(size);
        found.push_back(std::move(begun));
        return;
    }
    for (std::int64_t bound = begun.back(); bound <= size; ++bound) {
        begun.push_back(bound);
        list_bounds(size, process_count, begun, found);
        begun.pop_back();
    }
}

/// Block axes of up to 4 elements on up to 3 processes, with every split and every way to describe
/// it, with a selection of padding; and some cyclic and unstructured axes.
std::vector<std::pair<int, AxisSpec>> small_axes() {
    std::vector<std::pair<int, AxisSpec>> axes;
    const BlockOptions options[] = {{},
                                    {.padding = 1},
                                    {.padding = 1, .periodic = true},
                                    {.padding = 1, .boundary = 0},
                                    {.boundary = 1},
                                    {.boundary = Widths(1, 0)},
                                    {.boundary = Widths(0, 1)},
                                    {.padding = {0, 1}, .boundary = 0},
                                    {.padding = {1, 0}, .boundary = 0},
                                    {.periodic = true}};
    for (int process_count = 1; process_count <= 3; ++process_count) {
        for (std::int64_t size = 0; size <= 4; ++size) {
            std::vector<std::vector<std::int64_t>> cuts;
            list_bounds(size, process_count, {0}, cuts);
            for (const BlockOptions& option : options) {
                axes.emplace_back(process_count, block(size, option));
                axes.emplace_back(process_count, regular_block(size, option));
                for (const auto& cut : cuts)
                    axes.emplace_back(process_count, block_bounds(cut, option));
            }
            for (const auto& cut : cuts) {
                // The same widths as {.padding = 1, .boundary = 0}, and smaller ones at some seams.
                for (const Widths less : {Widths(0), Widths(1, 0), Widths(0, 1), Widths(1)}) {
                    std::vector<Widths> widths(static_cast<std::size_t>(process_count), 1);
                    widths.front().high -= less.high;
                    widths.back().low -= less.low;
                    axes.emplace_back(process_count, block_bounds(cut, {}, widths));
                }
            }
            for (std::int64_t b = 1; b <= 3; ++b)
                axes.emplace_back(process_count, block_cyclic(size, b));
        }
    }
    for (const bool one_to_one : {false, true}) {
        for (const std::vector<std::vector<std::int64_t>>& lists :
             {std::vector<std::vector<std::int64_t>>{{}, {}},
              {{0}, {}},
              {{}, {0}},
              {{0}, {1}},
              {{1}, {0}},
              {{0, 1}, {}},
              {{1, 0}, {}},
              {{-1}, {1}}})
            axes.emplace_back(2, unstructured(lists, one_to_one));
    }
    const std::vector<std::vector<std::int64_t>> shared{{0, 1}, {1, 0}};
    for (const std::vector<std::int64_t>& ghosts :
         {std::vector<std::int64_t>{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}})
        axes.emplace_back(2, unstructured(shared, {.ghosts = ghosts}));
    return axes;
}

} // namespace

TEST(ArrayLayoutIdentity, descriptions_of_one_layout_are_equal) {
    const std::pair<ArrayLayout, ArrayLayout> pairs[] = {
        {line(4, block(10)), line(4, block_bounds({0, 3, 6, 8, 10}))},
        {line(4, regular_block(10)), line(4, block_bounds({0, 3, 6, 9, 10}))},
        {line(4, regular_block(12)), line(4, block(12))},
        {line(1, block(7, {.padding = 2})), line(1, block_bounds({0, 7}, {.boundary = 2}))},
        {line(3, cyclic(10)), line(3, block_cyclic(10, 1))},
        {line(2, block(8, {.padding = {2, 1}, .boundary = 0})),
         line(2, block_bounds({0, 4, 8}, {}, {{5, 1}, {2, 5}}))},
        {line(3, block_bounds({0, 1, 2, 9}, {.padding = 1, .boundary = 0})),
         line(3, block_bounds({0, 1, 2, 9}, {}, {{0, 1}, {1, 1}, {1, 0}}))},
        {line(3, block_bounds({0, 1, 2, 9}, {}, {{5, 1}, {1, 0}, {1, 7}})),
         line(3, block_bounds({0, 1, 2, 9}, {}, {{0, 1}, {1, 0}, {1, 0}}))},
        {line(3, block(9, {.padding = 2})), line(3, block(9, {.padding = 2, .boundary = 2}))},
        {line(2, unstructured({{3, 1}, {2}})), line(2, unstructured({{3, 1}, {2}}))},
        {ArrayLayout(), ArrayLayout(ProcessGrid(), {})}};
    for (const auto& [a, b] : pairs) {
        EXPECT_EQ(a, b) << a.describe() << '\n' << b.describe();
        EXPECT_EQ(a.fingerprint(), b.fingerprint()) << a.describe() << '\n' << b.describe();
        EXPECT_EQ(a.describe(), b.describe());
    }
}

TEST(ArrayLayoutIdentity, blocks_that_have_a_closed_form_get_it) {
    const ArrayLayout layout = line(4, block_bounds({0, 3, 6, 8, 10}));
    EXPECT_EQ(layout.axis(0).as_block().split(), BlockSplit::balanced);
    EXPECT_TRUE(layout.tables().empty());
    EXPECT_EQ(line(4, block_bounds({0, 3, 6, 9, 10})).axis(0).as_block().split(),
              BlockSplit::regular);
    EXPECT_EQ(line(4, block_bounds({0, 1, 6, 9, 10})).tables().size(), 5u);
}

// The closed form of regular blocks is selected without a loop over the blocks.
TEST(ArrayLayoutIdentity, regular_blocks_that_are_balanced) {
    for (std::int64_t n = 0; n < 60; ++n)
        for (int processes = 1; processes < 25; ++processes) {
            const BlockLayout regular(n, processes, BlockSplit::regular);
            const BlockLayout balanced(n, processes);
            bool is_same = true;
            for (int p = 0; p < processes; ++p)
                is_same = is_same && regular.interior(p) == balanced.interior(p);
            const BlockLayout made = line(processes, regular_block(n)).axis(0).as_block();
            EXPECT_EQ(made.split() == BlockSplit::balanced, is_same) << n << ' ' << processes;
            for (int p = 0; p < processes; ++p) EXPECT_EQ(made.interior(p), regular.interior(p));
        }
}

// The largest number of processes: a list of their bounds alone would need 16 GiB.
TEST(ArrayLayoutIdentity, closed_forms_ask_no_process) {
    constexpr int processes = std::numeric_limits<int>::max();
    const std::int64_t n = 3 * std::int64_t(processes) - 7;
    for (const AxisSpec& spec : {regular_block(n), regular_block(n, {.padding = 1}),
                                 regular_block(n + 7, {.padding = 3, .periodic = true}), block(n),
                                 block(n, {.padding = 2}), cyclic(n)}) {
        const ArrayLayout layout = line(processes, spec);
        EXPECT_TRUE(layout.tables().empty());
        EXPECT_EQ(layout, line(processes, spec));
        EXPECT_EQ(layout, line(processes, axis_spec(layout.axis(0))));
        EXPECT_EQ(layout, permute_axes(layout, {0}));
        EXPECT_NE(layout.fingerprint(), line(processes - 1, spec).fingerprint());
        EXPECT_NE(layout.describe(), "");
        const int middle = processes / 2;
        EXPECT_EQ(layout.owner(std::vector{
                      layout.axis(0).to_global(middle, layout.axis(0).owned_local(middle).begin)}),
                  middle);
        EXPECT_GE(layout.local_extents(middle)[0], 2);
        EXPECT_EQ(protocol::export_dim_data(layout, middle, protocol::v0_9_0).size(), 1U);
    }
    // Also in 0.10, where the smallest block determines whether the padding is too wide.
    const ArrayLayout fits = line(processes, regular_block(n + 7, {.padding = 3}));
    EXPECT_FALSE(protocol::check_exportable(fits, protocol::v0_10_0));
    EXPECT_TRUE(
        protocol::check_exportable(line(processes, block(n, {.padding = 4})), protocol::v0_10_0));
}

// All pairs of small layouts: equal and with equal fingerprints exactly if their properties are equal.
TEST(ArrayLayoutIdentity, fingerprints_of_small_axes_tell_them_apart) {
    std::map<std::string, ArrayLayout> layouts;
    std::map<std::uint64_t, std::string> meanings;
    int repeated = 0;
    for (const auto& [process_count, spec] : small_axes()) {
        const ArrayLayout layout = line(process_count, spec);
        const std::string meaning = meaning_of(layout);
        const auto [known, is_new] = layouts.emplace(meaning, layout);
        repeated += !is_new;
        ASSERT_EQ(known->second, layout) << meaning;
        ASSERT_EQ(known->second.fingerprint(), layout.fingerprint()) << meaning;
        ASSERT_EQ(meanings.emplace(layout.fingerprint(), meaning).first->second, meaning);
    }
    EXPECT_GT(layouts.size(), 300u);
    EXPECT_GT(repeated, 300);
    for (const auto& a : layouts)
        for (const auto& b : layouts)
            ASSERT_EQ(a.second == b.second, a.first == b.first) << a.first << '\n' << b.first;
}

TEST(ArrayLayoutIdentity, fingerprints_of_small_arrays_tell_them_apart) {
    const auto axes = small_axes();
    std::map<std::uint64_t, std::string> meanings;
    for (std::size_t i = 0; i < axes.size(); i += 7) {
        for (std::size_t j = 0; j < axes.size(); j += 7) {
            const ArrayLayout layout(ProcessGrid{axes[i].first, axes[j].first},
                                     {axes[i].second, axes[j].second});
            const std::string meaning = meaning_of(layout);
            ASSERT_EQ(meanings.emplace(layout.fingerprint(), meaning).first->second, meaning);
        }
    }
    EXPECT_GT(meanings.size(), 5000u);
}

TEST(ArrayLayoutIdentity, long_axes_differ_by_one_element) {
    constexpr std::int64_t large = std::int64_t(1) << 40;
    EXPECT_NE(line(1000, block(large)), line(1000, block(large + 1)));
    EXPECT_NE(line(1000, block(large)), line(1001, block(large)));
    EXPECT_NE(line(1000, block(large + 1)), line(1000, regular_block(large + 1)));
    EXPECT_NE(line(1000, cyclic(large)), line(1000, block(large)));
}

// Each process knows only its own list; equal arrays must still have equal fingerprints.
TEST(ArrayLayoutIdentity, fingerprints_ignore_which_list_is_known) {
    const ArrayLayout on_0 = line(2, unstructured_local(3, 0, {7, 1}));
    const ArrayLayout on_1 = line(2, unstructured_local(3, 1, {4}));
    EXPECT_EQ(on_0.fingerprint(), on_1.fingerprint());
    EXPECT_NE(on_0, on_1);
    EXPECT_NE(on_0.fingerprint(), line(2, unstructured_local(4, 0, {7, 1})).fingerprint());
    const ArrayLayout with_ghost = line(2, unstructured_local(3, 0, {7, 1}, {.ghosts = {1}}));
    EXPECT_EQ(on_0.fingerprint(), with_ghost.fingerprint());
    EXPECT_NE(on_0, with_ghost);
}

TEST(ArrayLayoutIdentity, describes_every_kind_of_axis) {
    EXPECT_EQ(ArrayLayout().describe(), "0-d array over a process grid of 1");
    const ArrayLayout all(ProcessGrid{2, 3, 1, 2, 2, 2, 4},
                          {block(180, {.padding = 1, .boundary = 0}),
                           block(360, {.padding = {1, 2}, .periodic = true}),
                           block(5, {.padding = 1}), block_bounds({0, 3, 4}, {.boundary = {2, 0}}),
                           cyclic(7), block_cyclic(8, 3),
                           unstructured({{5}, {}, {-1, 2}, {}}, true)});
    EXPECT_EQ(all.describe(),
              "7-d array over a process grid of 2 x 3 x 1 x 2 x 2 x 2 x 4\n"
              "  axis 0: block, 180 elements over 2 processes, padding (1, 1)\n"
              "  axis 1: block, 360 elements over 3 processes, padding (1, 2), boundary padding "
              "(1, 2), periodic\n"
              "  axis 2: block, 5 elements over 1 process, boundary padding (1, 1)\n"
              "  axis 3: irregular block, 4 elements over 2 processes, boundary padding (2, 0)\n"
              "  axis 4: cyclic, 7 elements over 2 processes\n"
              "  axis 5: block-cyclic, 8 elements in blocks of 3 over 2 processes\n"
              "  axis 6: unstructured, 3 elements over 4 processes, one to one");
    EXPECT_EQ(line(4, regular_block(10)).describe(),
              "1-d array over a process grid of 4\n"
              "  axis 0: regular block, 10 elements over 4 processes");
    EXPECT_EQ(line(3, block_bounds({0, 4, 8, 12}, {}, {{0, 1}, {1, 2}, {2, 0}})).describe(),
              "1-d array over a process grid of 3\n"
              "  axis 0: irregular block, 12 elements over 3 processes, padding by process");
    EXPECT_EQ(line(3, block_bounds({0, 1, 8, 12}, {.padding = 1, .boundary = 0})).describe(),
              "1-d array over a process grid of 3\n"
              "  axis 0: irregular block, 12 elements over 3 processes, padding (1, 1)");
    EXPECT_EQ(line(2, unstructured({{5}, {5, 6}})).describe(),
              "1-d array over a process grid of 2\n"
              "  axis 0: unstructured, 2 elements over 2 processes");
    EXPECT_EQ(line(2, unstructured({{5, 6}, {6, 5}}, {.ghosts = {1, 1}})).describe(),
              "1-d array over a process grid of 2\n"
              "  axis 0: unstructured, 2 elements over 2 processes, 2 ghosts");
    // Processes that know only their own labels print equal texts.
    EXPECT_EQ(line(2, unstructured_local(2, 0, {5, 6}, {.ghosts = {1}})).describe(),
              "1-d array over a process grid of 2\n"
              "  axis 0: unstructured, 2 elements over 2 processes");
}

TEST(ArrayLayout, made_without_arguments_takes_no_memory) {
    const AllocationCounts counts = count_heap_allocations([] {
        const ArrayLayout layout;
        EXPECT_EQ(layout.rank(), 0);
    });
    EXPECT_EQ(counts.heap, 0) << counts.description;
    EXPECT_EQ(ArrayLayout(), ArrayLayout(ProcessGrid(), {}));
}

} // namespace distview::testing
