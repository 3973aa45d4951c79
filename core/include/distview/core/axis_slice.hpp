// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace distview {

/// `count` interior cells of an axis, from `begin` on, `step` apart.
///
/// Cells count from 0 without boundary padding, so layouts of one array that differ in padding
/// number cells alike. On an unstructured axis, cell i is the element with the i-th smallest of all labels.
///
/// AxisSlice() means the whole axis, without a slice. A redistribution pairs two unstructured axes without slices by
/// label. If either axis has a slice, even a slice of all cells such as {0, n, 1}, it pairs them by order.
///
/// Shapes: {n - 1, -1, -1} is all of n cells backwards; {0, -1, 2} is every other one
struct AxisSlice {
    std::int64_t begin = 0;
    std::int64_t count = -1; ///< -1: as many as there are in the direction of `step`
    std::int64_t step = 1;   ///< not 0

    friend bool operator==(const AxisSlice&, const AxisSlice&) = default;
};

/// Returns a slice of an axis of `size` interior cells with `count` filled in; with fewer than two
/// cells, the step is 1.
///
/// Errors: LayoutError, whose text begins with `where`, if the slice leaves the interior, its step is
///         0 or its count is below -1
AxisSlice complete_slice(const AxisSlice& slice, std::int64_t size, const std::string& where);

} // namespace distview
