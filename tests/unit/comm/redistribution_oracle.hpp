// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using distview::impl::AxisIntersection;
using distview::impl::AxisRun;

class Random;

// What a redistribution must move, found by looking at every position of every section: the
// reference that the schedule's intersections are compared with.

/// One element along one axis: from where to where.
struct AxisMove {
    int to_process = 0;
    std::int64_t to_local = 0;
    int from_process = 0;
    std::int64_t from_local = 0;
    friend bool operator==(const AxisMove&,
                           const AxisMove&) = default; // nvcc makes none of the other
    friend auto operator<=>(const AxisMove&, const AxisMove&) = default;
};

/// Two axes with a slice of each.
struct AxisPair {
    AxisSpec from;
    AxisSlice from_slice;
    AxisSpec to;
    AxisSlice to_slice;
    int from_grid = 1;
    int to_grid = 1;
};

/// All moves along an axis, in order. With `all_copies` from every process that holds an element, else from
/// the lowest one.
std::vector<AxisMove> expected_moves(const AxisLayout& from, const AxisSlice& from_slice,
                                     const AxisLayout& to, const AxisSlice& to_slice,
                                     bool fill_padding, bool all_copies = false);

/// The pairs of interior cells along an axis, of the source and of the target, each counted from 0 (on an
/// unstructured axis by ascending index): of slices by order, of whole axes by index.
struct CellPairs {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    std::vector<std::int64_t> missing; ///< indices of the target that the source does not have
};
CellPairs expected_pairs(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                         const AxisSlice& to_slice);

/// The moves of the runs that one coordinate receives (or sends), in their order.
std::vector<AxisMove> moves_of(const std::vector<AxisRun>& runs, bool receives, int coordinate);

/// An axis of any kind with `n` cells, empty blocks, wide padding and shared labels included.
AxisSpec random_axis_spec(Random& random, int process_count, std::int64_t n);

/// Two such axes of at most `limit` cells and slices of equal counts, often of the whole axes; or two axes
/// without slices, one of them unstructured, the target's indices in the source unless `may_miss`.
AxisPair random_axis_pair(Random& random, int from_grid, int to_grid, std::int64_t limit,
                          bool may_miss = false);

/// The layout as a process knows it that has been told of its own labels only, along those unstructured
/// axes whose bit in `axes` is set; `process` is -1 for one outside the grid.
ArrayLayout known_part(const ArrayLayout& layout, int process, std::uint64_t axes);

/// Two layouts and what is moved from one to the other; the permutation is written out, and slices are, but
/// of axes that are paired by index.
struct RedistributionCase {
    ArrayLayout from;
    ArrayLayout to;
    RedistributionOptions options;

    std::string describe() const;
};

/// Arrays of so many axes over grids of so many processes.
RedistributionCase random_redistribution_case(Random& random, int rank, int from_processes,
                                              int to_processes);

/// From an array to one of the same layout, such that what moves twice comes back.
RedistributionCase random_involution_case(Random& random, int rank, int processes);

/// For failure messages.
std::string describe(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                     const AxisSlice& to_slice);

} // namespace distview::testing
