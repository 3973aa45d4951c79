// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/padding.hpp>
#include <distview/core/process_grid.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

static_assert(std::is_trivially_copyable_v<ProcessGrid>);
static_assert(!std::is_convertible_v<int, ProcessGrid>);
static_assert(!std::is_convertible_v<std::vector<int>, ProcessGrid>);
static_assert(std::is_constructible_v<ProcessGrid, std::vector<int>>);

constexpr ProcessGrid none;
static_assert(none.rank() == 0 && none.size() == 1);
static_assert(none.process(none.coordinates(0)) == 0 && none == ProcessGrid());

static_assert(std::is_trivially_copyable_v<Widths> && sizeof(Widths) == 16);
static_assert(std::is_convertible_v<int, Widths> && !std::is_convertible_v<double, Widths>);
static_assert(Widths(2) == Widths(2, 2) && !(Widths(2) == Widths(2, 1)));
static_assert(Widths() == Widths(0) && !(Widths(1, 0) == Widths(0, 1)));

} // namespace

} // namespace distview::testing
