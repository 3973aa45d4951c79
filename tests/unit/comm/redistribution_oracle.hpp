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

// The moves of a redistribution, found by looking at every position of every section: the reference
// for the schedule's intersections.

/// One element along one axis: its source and its target.
struct AxisMove {
    int to_process = 0;
    std::int64_t to_local = 0;
    int from_process = 0;
    std::int64_t from_local = 0;
    friend bool operator==(const AxisMove&,
                           const AxisMove&) = default; // nvcc does not derive it
    friend auto operator<=>(const AxisMove&, const AxisMove&) = default;
};

/// Two axes, each with a slice.
struct AxisPair {
    AxisSpec from;
    AxisSlice from_slice;
    AxisSpec to;
    AxisSlice to_slice;
    int from_grid = 1;
    int to_grid = 1;
};

/// All moves along an axis, in order. With `all_copies` from every process that holds an element,
/// otherwise from the lowest one.
std::vector<AxisMove> expected_moves(const AxisLayout& from, const AxisSlice& from_slice,
                                     const AxisLayout& to, const AxisSlice& to_slice,
                                     bool fill_padding, bool all_copies = false);

/// The pairs of interior cells of source and target along an axis, each counted from 0 (by
/// ascending index on an unstructured axis). Slices are paired by order, whole axes by index.
struct CellPairs {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    std::vector<std::int64_t> missing; ///< indices of the target that the source lacks
};
CellPairs expected_pairs(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                         const AxisSlice& to_slice);

/// The moves described by the runs that one coordinate receives (or sends), in order.
std::vector<AxisMove> moves_of(const std::vector<AxisRun>& runs, bool receives, int coordinate);

/// An axis of any kind with `n` cells; may have empty blocks, wide padding and shared labels.
AxisSpec random_axis_spec(Random& random, int process_count, std::int64_t n);

/// Two such axes of at most `limit` cells and slices of equal counts, often whole axes; or two axes without slices, one
/// of them unstructured, whose target indices are all in the source unless `may_miss`.
AxisPair random_axis_pair(Random& random, int from_grid, int to_grid, std::int64_t limit,
                          bool may_miss = false);

/// The layout as known to a process that has only its own labels along the unstructured axes whose
/// bit in `axes` is set; `process` is -1 for a process outside the grid.
ArrayLayout known_part(const ArrayLayout& layout, int process, std::uint64_t axes);

/// Two layouts and the options of the redistribution. The permutation is written out; so are
/// slices, except on axes that are paired by index.
struct RedistributionCase {
    ArrayLayout from;
    ArrayLayout to;
    RedistributionOptions options;

    std::string describe() const;
};

/// Draws arrays with `rank` axes over grids of the given numbers of processes.
RedistributionCase random_redistribution_case(Random& random, int rank, int from_processes,
                                              int to_processes);

/// Draws a redistribution within one layout that is its own inverse.
RedistributionCase random_involution_case(Random& random, int rank, int processes);

/// For failure messages.
std::string describe(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                     const AxisSlice& to_slice);

} // namespace distview::testing
