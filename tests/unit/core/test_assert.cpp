// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditions as checked in builds with DISTVIEW_ENABLE_ASSERTIONS: this file defines the macro in all builds.
#ifndef DISTVIEW_ENABLE_ASSERTIONS
#define DISTVIEW_ENABLE_ASSERTIONS
#endif
#include <distview/core/axis_layout.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/process_grid.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace distview::testing {

namespace {

// Not known at compile time.
const volatile int two = 2;

TEST(Assert, SaysWhatWasExpectedAndWhere) {
    const AxisLayout cyclic{CyclicLayout(10, 2)};
    EXPECT_DEATH(static_cast<void>(cyclic.as_block().boundary()),
                 "distview: expected m_type == DistType::block, at .*axis_layout.hpp:[0-9]+");
    const AxisLayout block{BlockLayout(10, 2)};
    EXPECT_DEATH(static_cast<void>(block.as_cyclic().block_size()), "DistType::cyclic");
    EXPECT_DEATH(static_cast<void>(block.as_unstructured().one_to_one()), "unstructured");
    EXPECT_EQ(cyclic.as_cyclic().block_size(), 1);
}

TEST(Assert, ChecksProcessesAxesAndIndices) {
    const BlockLayout block(10, 2);
    EXPECT_EQ(block.local_extent(two - 1), 5);
    EXPECT_DEATH(static_cast<void>(block.local_extent(two)), "p < m_grid_size");
    EXPECT_DEATH(static_cast<void>(block.owner(GlobalIndex(10 * two))), "i < m_size");
    const CyclicLayout cyclic(10, 2);
    EXPECT_DEATH(static_cast<void>(cyclic.local_extent(two)), "p < m_grid_size");
    EXPECT_DEATH(static_cast<void>(cyclic.owner(GlobalIndex(-two))), "g.value\\(\\) >= 0");
    EXPECT_EQ(cyclic.to_local(two - 1, GlobalIndex(3 * two + 1)), 3);
    EXPECT_DEATH(static_cast<void>(cyclic.to_local(two - 1, GlobalIndex(3 * two))), "p == owner");
    const ProcessGrid grid{2, 3};
    EXPECT_EQ(grid.extent(two - 1), 3);
    EXPECT_DEATH(static_cast<void>(grid.extent(two)), "axis < m_rank");
    EXPECT_DEATH(static_cast<void>(grid.coordinates(3 * two)), "process < m_size");
}

TEST(Assert, ChecksWhatASectionHolds) {
    const ArrayLayout layout(ProcessGrid{2, 1, 2}, {block(10, {.padding = 1}), cyclic(10),
                                                    unstructured({{7, -3}, {9, 8}})});
    const UnstructuredLayout& labels = layout.axis(2).as_unstructured();
    EXPECT_EQ(labels.to_global(1, LocalIndex(two - 1)), 8);
    EXPECT_DEATH(static_cast<void>(labels.to_global(1, LocalIndex(two))), "l < local_extent");
    EXPECT_DEATH(static_cast<void>(labels.to_global(1, LocalIndex(-two))), "l >= 0");

    // No Kokkos kernel may initialise this memory: death tests need a process with one thread.
    using Section = DistView<double***, Kokkos::HostSpace>;
    std::vector<double> memory(140);
    const Section a(layout, 1, Section::view_type(memory.data(), 7, 10, 2));
    EXPECT_EQ(a.local_index(0, GlobalIndex(2 * two + 1)), 6);
    EXPECT_DEATH(static_cast<void>(a.local_index(0, GlobalIndex(6 * two))), "local_extent");
    EXPECT_DEATH(static_cast<void>(a.local_index(0, GlobalIndex(-two))), "l >= 0");
    EXPECT_EQ(a.local_index(2, GlobalIndex(4 * two)), 1);
    EXPECT_DEATH(static_cast<void>(a.local_index(2, GlobalIndex(3 * two + 1))), "l >= 0");
}

static_assert(BlockLayout(10, 2).owner(GlobalIndex(7)) == 1);
static_assert(CyclicLayout(10, 2).owner(GlobalIndex(7)) == 1);

} // namespace

} // namespace distview::testing
