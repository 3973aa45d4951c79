// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect_error.hpp"
#include "layout_checks.hpp"

#include <distview/core/slice.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;

/// Global indices that each process holds along an axis.
std::vector<std::vector<std::int64_t>> lists_of(const AxisLayout& axis) {
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(axis.grid_size()));
    for (int p = 0; p < axis.grid_size(); ++p)
        for (LocalIndex l(0); l < axis.local_extent(p); ++l)
            lists[static_cast<std::size_t>(p)].push_back(axis.to_global(p, l).value());
    return lists;
}

using Lists = std::vector<std::vector<std::int64_t>>;

Lists lists_of_slice(int processes, const AxisSpec& axis, AxisSlice slice) {
    const ArrayLayout layout(ProcessGrid{processes}, {axis});
    return lists_of(slice_section(layout, 0, {slice}).layout.axis(0));
}

} // namespace

TEST(SliceSection, blocks_without_their_padding) {
    const ArrayLayout layout(ProcessGrid{3}, {block(10, {.padding = 2, .periodic = true})});
    const SectionSlice part = slice_section(layout, 1, {{3, 6}});
    // Cells 0..3 | 4..6 | 7..9, with two padding positions before each block.
    EXPECT_EQ(lists_of(part.layout.axis(0)), (Lists{{0}, {1, 2, 3}, {4, 5}}));
    EXPECT_FALSE(part.layout.axis(0).periodic());
    EXPECT_EQ(part.begin[0], 2);
    EXPECT_EQ(slice_section(layout, 0, {{3, 6}}).begin[0], 5);
    const SectionSlice odd = slice_section(layout, 1, {{1, -1, 4}}); // 1, 5, 9
    EXPECT_EQ(lists_of(odd.layout.axis(0)), (Lists{{0}, {1}, {2}}));
    EXPECT_EQ(odd.begin[0], 3);
    EXPECT_EQ(odd.step[0], 4);
    EXPECT_EQ(lists_of_slice(3, block(10), {8, 2}), (Lists{{}, {}, {0, 1}}));
    EXPECT_EQ(lists_of_slice(3, block(10), {10, 0}), (Lists{{}, {}, {}}));
}

TEST(SliceSection, dealt_axes_stay_dealt_where_they_can) {
    EXPECT_EQ(lists_of_slice(2, block_cyclic(14, 2), {4, 9}),
              (Lists{{0, 1, 4, 5, 8}, {2, 3, 6, 7}}));
    // Two elements of each block of four; the third of each block of three.
    EXPECT_EQ(lists_of_slice(2, block_cyclic(14, 4), {1, -1, 2}), (Lists{{0, 1, 4, 5}, {2, 3, 6}}));
    EXPECT_EQ(lists_of_slice(2, block_cyclic(14, 3), {2, -1, 3}), (Lists{{0, 2}, {1, 3}}));
    // Each cell is on the next process, in the next round.
    EXPECT_EQ(lists_of_slice(3, cyclic(14), {3, -1, 4}), (Lists{{0}, {1}, {2}}));
    // Less than a round: a cyclic axis cannot begin on process 1, a block axis can.
    EXPECT_EQ(lists_of_slice(3, block_cyclic(14, 2), {3, 3}), (Lists{{}, {0}, {1, 2}}));
    EXPECT_EQ(lists_of_slice(1, block_cyclic(14, 4), {1, -1, 5}), (Lists{{0, 1, 2}}));
}

TEST(SliceSection, without_axes) {
    const SectionSlice part = slice_section(ArrayLayout(), 0, {});
    EXPECT_TRUE(part.layout == ArrayLayout());
}

TEST(SliceSection, says_what_is_wrong) {
    const ArrayLayout layout(
        ProcessGrid{2, 2, 3},
        {block(10, {.padding = 1}), unstructured({{7, 2}, {2, 5}}), block_cyclic(20, 2)});
    const auto refuses = [&](const std::vector<AxisSlice>& slices, const std::string& message) {
        expect_error<LayoutError>([&] { slice_section(layout, 0, slices); }, message);
    };
    const std::string advice = "; use from_slice or to_slice of a RedistributionPlan";
    refuses({{}}, "slice: expected slices of 3 axes, got 1");
    refuses({{11}, {}, {}},
            "slice: axis 0: expected a slice that begins at a cell in [0, 10], got 11");
    refuses({{-1}, {}, {}},
            "slice: axis 0: expected a slice that begins at a cell in [0, 10], got -1");
    refuses({{0, 4, 0}, {}, {}}, "slice: axis 0: expected a slice of step other than 0");
    refuses({{0, -2}, {}, {}},
            "slice: axis 0: expected a slice of count >= 0 (or -1, all), got -2");
    refuses({{4, 4, 2}, {}, {}}, "slice: axis 0: expected a slice within the 10 interior cells, "
                                 "got 4 cells from 4 in steps of 2");
    refuses({{9, -1, -3}, {}, {}},
            "slice: axis 0: expected a step > 0, got -3: processes would hold the elements in "
            "descending order" +
                advice);
    refuses({{}, {0, 2}, {}},
            "slice: axis 1: expected all 3 cells of an unstructured axis in steps "
            "of 1, got 2 from 0 in steps of 1" +
                advice);
    refuses({{}, {}, {2, 6}},
            "slice: axis 2: expected cells that form a cyclic axis or lie in one "
            "round of blocks, got 2 to 7 in steps of 1 of blocks of 2 on 3 processes" +
                advice);
    for (const int process : {-1, 12})
        expect_error<UsageError>([&] { slice_section(layout, process, {}); },
                                 text("slice: expected a process in [0, 12), got ", process));
}

// The slice, too, knows the labels of one process only.
TEST(SliceSection, of_labels_of_one_process) {
    const ArrayLayout layout(ProcessGrid{1, 3}, {block(6), unstructured_local(5, 1, {9, 4}, true)});
    const SectionSlice part = slice_section(layout, 1, {{2, 3}, {}});
    EXPECT_TRUE(part.layout ==
                ArrayLayout(ProcessGrid{1, 3}, {block(3), unstructured_local(5, 1, {9, 4}, true)}));
}

// A slice has owned elements only.
TEST(SliceSection, has_no_ghosts) {
    const ArrayLayout layout(ProcessGrid{3, 1},
                             {unstructured({{4, 1}, {}, {1, 4}}, {.ghosts = {1, 0, 1}}), block(6)});
    const SectionSlice part = slice_section(layout, 2, {{}, {2, 3}});
    EXPECT_TRUE(part.layout ==
                ArrayLayout(ProcessGrid{3, 1}, {unstructured({{4}, {}, {1}}), block(3)}));
    EXPECT_EQ(part.begin[0], 0);
    EXPECT_EQ(part.step[0], 1);
}

/// Every element of a slice, on every process, has the address of the element in the whole section.
template <class View>
void expect_addresses() {
    const ArrayLayout layout(ProcessGrid{2, 2, 1},
                             {block(7, {.padding = {2, 1}, .boundary = {1, 3}}),
                              block_cyclic(13, 4), block(6, {.padding = 1, .periodic = true})});
    const std::vector<AxisSlice> slices{{1, -1, 2}, {1, -1, 2}, {1, 4}};
    std::int64_t elements = 0;
    for (int process = 0; process < layout.process_count(); ++process) {
        SCOPED_TRACE(process);
        const View whole(Exec(), "whole", layout, process);
        const auto part = slice(whole, slices);
        for (LocalIndex i(0); i < part.view().extent(0); ++i)
            for (LocalIndex j(0); j < part.view().extent(1); ++j)
                for (LocalIndex k(0); k < part.view().extent(2); ++k) {
                    const GlobalIndex g0(1 + 2 * part.global_index(0, i));
                    const GlobalIndex g1(1 + 2 * part.global_index(1, j));
                    const GlobalIndex g2(1 + part.global_index(2, k));
                    EXPECT_EQ(&part.view()(i.value(), j.value(), k.value()),
                              &whole.view()(whole.local_index(0, g0).value(),
                                            whole.local_index(1, g1).value(),
                                            whole.local_index(2, g2).value()));
                    ++elements;
                }
    }
    EXPECT_EQ(elements, 3 * 6 * 4);
}

TEST(Slice, is_the_same_memory) {
    expect_addresses<DistView<double***, Kokkos::LayoutRight, Host>>();
    expect_addresses<DistView<float***, Kokkos::LayoutLeft, Host>>();
}

// A slice keeps traits and constness; its extents are run-time values.
static_assert(
    std::is_same_v<SliceOf<DistView<const double* [4], Kokkos::LayoutRight, Host>>,
                   DistView<const double**, Kokkos::LayoutStride,
                            Kokkos::View<double*, Host>::device_type, Kokkos::MemoryTraits<0>>>);

TEST(Slice, is_an_array_of_its_own_over_memory_that_it_keeps) {
    auto owner = std::make_shared<int>(0);
    std::vector<double> data(12);
    const ArrayLayout layout(ProcessGrid{1}, {block(12)});
    using View = DistView<double*, Kokkos::LayoutRight, Host>;
    {
        std::optional<View> whole(std::in_place, layout, 0, View::view_type(data.data(), 12), owner,
                                  "whole");
        const auto part = slice(*whole, {{2, 5, 2}});
        EXPECT_NE(part.identity(), whole->identity());
        EXPECT_NE(part.identity(), slice(*whole, {{2, 5, 2}}).identity());
        EXPECT_EQ(part.label(), "whole");
        whole.reset();
        EXPECT_EQ(owner.use_count(), 2);
        part.view()(1) = 5.0;
        EXPECT_EQ(data[4], 5.0);
    }
    EXPECT_EQ(owner.use_count(), 1);

    // Kokkos' memory, too; AddressSanitizer would report an access after release.
    const ArrayLayout square(ProcessGrid{1, 1}, {block(4), block(5)});
    const auto part =
        slice(DistView<const double**, Kokkos::LayoutRight, Host>(Exec(), "gone", square, 0),
              {{1, 2}, {4, 1}});
    EXPECT_EQ(part.label(), "gone");
    EXPECT_EQ(part.view()(1, 0), 0.0);
}

TEST(Slice, of_a_slice) {
    const ArrayLayout layout(ProcessGrid{2}, {block(20, {.padding = 1})});
    for (int process = 0; process < 2; ++process) {
        const DistView<int*, Kokkos::LayoutRight, Host> whole(Exec(), "u", layout, process);
        const auto twice =
            slice(slice(whole, {{3, -1, 2}}), {{1, 4, 2}}); // 3, 5, ...; 5, 9, 13, 17
        const auto once = slice(whole, {{5, 4, 4}});
        EXPECT_TRUE(twice.layout() == once.layout());
        ASSERT_EQ(twice.view().extent(0), 2U);
        EXPECT_EQ(twice.view().data(), once.view().data());
        EXPECT_EQ(&twice.view()(1), &once.view()(1));
    }
}

TEST(Slice, without_elements_or_axes) {
    const ArrayLayout layout(ProcessGrid{2, 1}, {block(6), block(3)});
    const DistView<double**, Kokkos::LayoutRight, Host> whole(Exec(), "u", layout, 1);
    const auto part = slice(whole, {{0, 2}, {1, 2}});
    EXPECT_EQ(part.view().extent(0), 0U);
    EXPECT_EQ(part.view().extent(1), 2U);
    EXPECT_EQ(part.view().data(), whole.view().data());
    const DistView<double, Kokkos::LayoutRight, Host> scalar(Exec(), "s", ArrayLayout(), 0);
    const auto same = slice(scalar, {});
    EXPECT_EQ(same.view().data(), scalar.view().data());
}

// An array without elements may have any strides.
TEST(Slice, of_strides_that_nobody_uses) {
    AnySection section;
    section.element = element_type<double>();
    section.extents = {0, 4};
    section.strides = {std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max()};
    const AnyDistView whole(section, ArrayLayout(ProcessGrid{1, 1}, {block(0), block(4)}), 0);
    const AnyDistView part = slice(whole, {{}, {1, 2, 2}});
    EXPECT_EQ(part.section().extents, (std::vector<std::int64_t>{0, 2}));
}

// The same as for the typed array; also strides that a View cannot have.
TEST(Slice, of_an_array_whose_type_is_known_at_run_time) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(9, {.padding = 1}), cyclic(7)});
    const std::vector<AxisSlice> slices{{1, -1, 3}, {0, -1, 3}};
    for (int process = 0; process < 4; ++process) {
        const DistView<const short**, Kokkos::LayoutLeft, Host> whole(Exec(), "u", layout, process);
        const AnyDistView typed(slice(whole, slices));
        const AnyDistView any = slice(AnyDistView(whole), slices);
        EXPECT_EQ(any.section().data, typed.section().data);
        EXPECT_EQ(any.section().extents, typed.section().extents);
        EXPECT_EQ(any.section().strides, typed.section().strides);
        EXPECT_TRUE(any.section().read_only);
        EXPECT_TRUE(any.layout() == typed.layout());
        EXPECT_NE(any.identity(), AnyDistView(whole).identity());
        EXPECT_EQ(any.section().owner.use_count(), 1);
    }

    std::vector<double> data(10);
    AnySection backwards;
    backwards.data = &data[9];
    backwards.element = element_type<double>();
    backwards.extents = {10};
    backwards.strides = {-8};
    const AnyDistView part =
        slice(AnyDistView(backwards, ArrayLayout(ProcessGrid{1}, {block(10)}), 0), {{1, 3, 4}});
    EXPECT_EQ(part.section().data, &data[8]);
    EXPECT_EQ(part.section().strides, std::vector<std::int64_t>{-32});
}

} // namespace distview::testing
