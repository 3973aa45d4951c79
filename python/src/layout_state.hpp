// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/array_layout.hpp>

#include <vector>

namespace distview::python {

// A layout as plain Python values, for its constructor and for pickles. One dictionary
// for each axis, with all the keys of its dist_type:
//
//     {"dist_type": "b", "size": 9, "bounds": "balanced", "padding": (1, 1), "boundary": (1, 1), "periodic": False}
//     {"dist_type": "c", "size": 9, "block_size": 2, "periodic": False}
//     {"dist_type": "u", "lists": (array([4, 0]), array([7])), "one_to_one": True, "periodic": False}
//
// bounds: "balanced", "regular", or the numbers. padding: one pair for all processes, or one pair for each.

/// The layout of such values. Checks everything, since the values may come from elsewhere.
///
/// Errors: LayoutError
ArrayLayout layout_of_state(nb::handle grid, nb::handle axes);
/// The same axes without a grid.
std::vector<AxisSpec> axes_of_state(nb::handle axes);

/// (grid, axes) of a layout: layout_of_state() makes an equal layout.
nb::tuple state_of_layout(const ArrayLayout& layout);

} // namespace distview::python
