// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// Checks one axis' description and returns its simplest form: blocks whose bounds are balanced or
/// regular become such blocks, so that equal layouts have equal descriptions and closed-form maps.
/// Throws LayoutError that names the axis.
AxisSpec checked_axis(int axis, int grid_size, const AxisSpec& spec);

/// The tables that the layout of a checked axis reads; empty for closed forms.
std::vector<std::int64_t> axis_tables(int grid_size, const AxisSpec& checked);

/// The layout of a checked axis; it reads the result of axis_tables() at the address `tables`.
AxisLayout make_axis(int grid_size, const AxisSpec& checked, const std::int64_t* tables);

} // namespace distview::impl
