// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/plain_array.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/axis_slice.hpp>
#include <distview/core/local_box.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

namespace distview::impl {

/// Extents and strides, in elements, of a plain array.
struct PlainShape {
    Extents extents{};
    Extents strides{};
    std::int64_t leading_dimension = 1;
};

/// The shape of a plain array without gaps.
PlainShape plain_shape(const Extents& extents, int rank, MemoryOrder order);

/// The shape of elements with these strides if they form a plain array; `with_gaps`: also if lines along the fastest
/// axis are farther apart than they are long.
std::optional<PlainShape> as_plain(const Extents& extents, const Extents& strides, int rank,
                                   MemoryOrder order, bool with_gaps);

/// A box of interior cells of a whole array. Cells of an unstructured axis are counted in ascending order of their
/// labels. Sent to other ranks as bytes.
struct CellRange {
    Extents begin{};
    Extents count{};
    bool is_elsewhere =
        false; ///< whether a redistribution brings the cells to the rank that wants them
};

/// Throw UsageError if labels are not known; box_of() throws LayoutError if a range leaves the interior.
CellRange whole_array(const char* caller, const ArrayLayout& layout);
CellRange box_of(const char* caller, const ArrayLayout& layout,
                 std::span<const GlobalRange> ranges);

std::int64_t cell_count(const CellRange& cells, int rank);
std::vector<AxisSlice> slices_of(const CellRange& cells, int rank);
/// The layout of these cells as a separate array on one process.
ArrayLayout single_layout(const CellRange& cells, int rank);

/// The positions of cells in a process's section; nothing unless this process, and no other one, holds all of them, one
/// next to the other.
std::optional<LocalBox> find_in_section(const ArrayLayout& layout, int process,
                                        const CellRange& cells);

/// Throws UsageError if the boxes of two ranks share cells.
void check_disjoint(const char* caller, std::span<const CellRange> boxes, int rank);

/// The cells requested from with_local_copy().
enum class LocalPart { box, whole_on_root, whole_everywhere };

/// Arguments that must be equal on all ranks, besides the array.
struct LocalCopyArguments {
    Intent intent;
    MemoryOrder order;
    bool takes_leading_dimension;
    bool writes_all;
    LocalPart part;
};

/// Agrees on this rank's failure and on the arguments.
void agree_on_local_copy(const Communicator& comm, const Caller& caller,
                         const std::exception_ptr& failure, const CommonArguments& array,
                         const LocalCopyArguments& arguments);

} // namespace distview::impl
