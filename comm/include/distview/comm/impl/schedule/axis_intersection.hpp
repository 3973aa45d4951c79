// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/axis_layout.hpp>
#include <distview/core/axis_slice.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview::impl {

class AxisSide;

/// Elements along one axis that move from process to process when (a slice of) one layout is assigned
/// to (a slice of) another.
///
/// RedistributionOptions defines which elements pair, decision 0011 how the pairs are found. An element is read from
/// one place: its owner or, if indices are shared, the lowest process that holds it (of_copy() reads from the others).
/// It is written to every place that holds it. The layouts' tables must outlive this (an ArrayLayout holds them).
///
/// Cost:       runs_to and runs_from: proportional to the runs of one period, and independent of the
///             axis' size; O(own cells) if either layout is unstructured; with steps longer than a
///             block, at most the elements of one period
/// Errors:     LayoutError if a slice leaves the interior, has step 0 or another count than its
///             counterpart; if an index of the target is not in the source; if an unstructured layout
///             knows the labels of one process only (RedistributionPlan asks the others); with a
///             FoundAxis, for runs of any coordinate but the known one
/// Source:     decisions 0004 (a product of short lists) and 0011
class AxisIntersection {
public:
    struct Side {
        AxisLayout layout{};
        AxisSlice slice{};
        int axis = 0; ///< number of the axis, for error texts
    };

    /// No elements.
    AxisIntersection() = default;
    AxisIntersection(const Side& from, const Side& to, bool fill_padding = false,
                     bool allow_missing_indices = false);
    /// For layouts that may know the labels of one process only: `found` has the runs from and to this process.
    AxisIntersection(const Side& from, const Side& to, std::shared_ptr<const FoundAxis> found);

    /// Number of paired elements, each counted once.
    std::int64_t count() const noexcept { return m_count; }
    /// Whether whole axes are paired by index; else slices are paired in order.
    bool pairs_indices() const noexcept { return m_pairs_indices; }
    /// The slices with all three numbers set; the step of fewer than two elements is 1.
    AxisSlice from_slice() const noexcept { return m_from_slice; }
    AxisSlice to_slice() const noexcept { return m_to_slice; }
    /// The runs of the one process whose labels are known, or null.
    const FoundAxis* found() const noexcept { return m_found.get(); }

    /// Runs that coordinate `p` of the target's grid receives; by peer, then in the order in
    /// which runs_from(peer) lists the same runs.
    std::vector<AxisRun> runs_to(int p) const;
    /// Runs that coordinate `p` of the source's grid sends.
    std::vector<AxisRun> runs_from(int p) const;

    /// The largest number of source processes that hold one index. Cost: O(the source's tables)
    int most_copies() const;
    /// The same elements, each read from holder `number`, counted from 0 by ascending process.
    /// The runs leave out elements with fewer holders.
    AxisIntersection of_copy(int number) const;

private:
    void set_slices(const Side& from, const Side& to);

    AxisSlice m_from_slice{0, 0, 1};
    AxisSlice m_to_slice{0, 0, 1};
    std::int64_t m_count = 0;
    bool m_pairs_indices = false;
    int m_copy = 0;
    std::shared_ptr<const AxisSide> m_from;
    std::shared_ptr<const AxisSide> m_to;
    std::shared_ptr<const FoundAxis> m_found; ///< replaces both sides
};

} // namespace distview::impl
