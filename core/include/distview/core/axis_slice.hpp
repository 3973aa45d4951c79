// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace distview {

/// Every step-th of the interior cells of an axis from `begin` on, `count` of them.
///
/// Cells count from 0 without boundary padding, so that layouts of one array that differ in padding
/// number them alike. On an unstructured axis cell i is that with the i-th smallest of all labels.
///
/// AxisSlice() is the whole axis, without a slice: a redistribution pairs two unstructured axes by their
/// labels then, and by order if either one has a slice, even one of all cells such as {0, n, 1}.
///
/// Shapes: {n - 1, -1, -1} is all of n cells backwards; {0, -1, 2} is every other one
struct AxisSlice {
    std::int64_t begin = 0;
    std::int64_t count = -1; ///< -1: as many as there are in the direction of `step`
    std::int64_t step = 1;   ///< not 0

    friend bool operator==(const AxisSlice&, const AxisSlice&) = default;
};

/// The slice of an axis of `size` interior cells with its count worked out; the step of fewer than
/// two cells is 1.
///
/// Errors: LayoutError, its text beginning with `where`, if the slice leaves the interior, its step is
///         0 or its count below -1
AxisSlice complete_slice(const AxisSlice& slice, std::int64_t size, const std::string& where);

} // namespace distview
