// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// One axis' description, checked and in its simplest form: blocks that happen to be balanced or
/// regular are said to be, so that equal layouts have equal descriptions and closed-form maps.
/// Throws LayoutError naming the axis.
AxisSpec checked_axis(int axis, int grid_size, const AxisSpec& spec);

/// The tables that the layout of a checked axis reads; empty for closed forms.
std::vector<std::int64_t> axis_tables(int grid_size, const AxisSpec& checked);

/// The layout of a checked axis, reading what axis_tables() returned at `tables`.
AxisLayout make_axis(int grid_size, const AxisSpec& checked, const std::int64_t* tables);

} // namespace distview::impl
