// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/axis_slice.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview::impl {

/// An array in the form in which it is moved: it has an axis, and elements of a size that a redistribution can move.
struct MovableArray {
    AnyDistView array;
    std::vector<int> permutation;      ///< axis d of the file is axis permutation[d] of `array`
    std::vector<std::int64_t> extents; ///< by axis of the file
    int axes = 1;                      ///< without an axis that counts parts of elements
    /// Bytes of one index along an axis of the file.
    std::int64_t bytes_below(int axis) const noexcept;
};
MovableArray make_movable(const AnyDistView& array, const std::vector<int>& permutation);

/// This rank's cells by axis of the file.
struct OwnBox {
    void* data = nullptr;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    bool is_empty = false;
};
OwnBox own_box(const MovableArray& movable);

/// Whether each rank's cells are a run of the file's bytes, in rank order.
bool has_rows_in_order(const MovableArray& movable);

/// A box of whole rows that is moved at once, and the distribution of its bytes in file order.
struct Round {
    std::vector<AxisSlice> slices; ///< by axis of the file
    ArrayLayout layout;            ///< of the box, in runs of its bytes
    std::int64_t begin = 0;        ///< of this rank's bytes, in the file's order
    std::int64_t end = 0;
    std::int64_t all_end = 0; ///< end of the box
};

/// The rounds of an array.
class Rounds {
public:
    /// `most_below`: for each axis of the file, the largest number of bytes that any rank has of one index along it.
    Rounds(const MovableArray& movable, int rank, int size, std::int64_t buffer_bytes,
           const std::vector<std::int64_t>& most_below);
    std::int64_t count() const noexcept { return m_leading * m_bands; }
    Round round(std::int64_t number) const;
    /// Bytes of the longest run of any rank.
    std::int64_t run_bytes() const noexcept { return m_rows_each * m_below; }

private:
    std::vector<std::int64_t> m_extents;
    int m_rank = 0;
    int m_size = 1;
    int m_axis = 0;             ///< a row is an index of this axis
    std::int64_t m_below = 1;   ///< bytes of a row
    std::int64_t m_leading = 1; ///< number of boxes of rows: indices of the axes before m_axis
    std::int64_t m_bands = 1;   ///< rounds of each box
    std::int64_t m_band = 1;    ///< rows of a round
    std::int64_t m_rows_each = 1;
};

} // namespace distview::impl
