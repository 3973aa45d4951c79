// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditions, as builds with DISTVIEW_ENABLE_ASSERTIONS check them: this file asks for it in all builds.
#ifndef DISTVIEW_ENABLE_ASSERTIONS
#define DISTVIEW_ENABLE_ASSERTIONS
#endif
#include <distview/core/axis_layout.hpp>
#include <distview/core/process_grid.hpp>

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

// Not known to the compiler.
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
    const ProcessGrid grid{2, 3};
    EXPECT_EQ(grid.extent(two - 1), 3);
    EXPECT_DEATH(static_cast<void>(grid.extent(two)), "axis < m_rank");
    EXPECT_DEATH(static_cast<void>(grid.coordinates(3 * two)), "process < m_size");
}

static_assert(BlockLayout(10, 2).owner(GlobalIndex(7)) == 1);
static_assert(CyclicLayout(10, 2).owner(GlobalIndex(7)) == 1);

} // namespace

} // namespace distview::testing
