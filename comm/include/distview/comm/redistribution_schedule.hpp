// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_intersection.hpp>
#include <distview/core/array_layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview {

namespace impl {
class RedistributionCore;
}

/// Options of a redistribution; by default every interior cell moves to that with the same global index.
///
/// Axes without slices (AxisSlice() on both sides) are paired by global index: cell i of a structured axis,
/// from 0 on, with cell i; on unstructured axes, which list their indices, equal indices, and on an
/// unstructured and a structured one index i with cell i. Indices of the source that the target does not
/// have stay where they are. Slices are paired by order, their elements one by one; on an unstructured axis
/// a slice counts cells by ascending index. Ghosts are neither read nor written.
struct RedistributionOptions {
    /// Axis d of the target takes axis permutation[d] of the source; empty: the identity.
    std::vector<int> permutation{};
    /// By axis of the source; empty: everything.
    std::vector<AxisSlice> from_slice{};
    /// By axis of the target; empty: everything.
    std::vector<AxisSlice> to_slice{};
    /// Whether a target, along an axis that is paired by index, may have indices that the source does not
    /// have; their elements stay as they are. Otherwise these are an error.
    bool allow_missing_indices = false;
    /// Whether to write also the communication padding (and on periodic axes the boundary padding)
    /// of the target that mirrors cells of its slice. Ghosts are left to a GhostExchangePlan.
    bool fill_padding = false;
    /// Whether elements are conjugated on the way, if they are complex.
    bool conjugate = false;
    /// The ranks that are processes 0, 1, ... of the source's grid, of the target's; empty: process p is
    /// rank p. All different; a rank may be in one grid, in both or in none.
    std::vector<int> from_ranks{};
    std::vector<int> to_ranks{};
    /// Whether sources and targets may share memory. If they do, nothing is overwritten before it has been
    /// read, and what is in a target cannot go into the result: beta is 0, nothing is combined. Arrays
    /// that share none are moved as without this, and so is an array onto itself if nothing moves.
    bool in_place = false;
    /// If they do: the most that a rank holds beside the arrays, in bytes; 0: as much as is good. Transpositions
    /// of a square array onto itself take a few MiB, and do with less; all other moves take what the elements take that a rank sends, itself included, and what it gets in messages.
    std::int64_t buffer_bytes = 0;
};

/// A box of elements that moves between two sections: a product of one AxisRun for each axis.
///
/// Along axis d of the target, element j of repeat i is at `to_begin[d] + j * to_step[d] +
/// i * to_period[d]` of the target's section, and at the same expression with `from_...[a]`, a =
/// permutation[d], of the source's.
struct RedistributionPiece {
    std::array<LocalIndex, max_rank> to_begin{}; ///< to_...: by axis of the target
    Extents to_step{};
    Extents to_period{};
    std::array<LocalIndex, max_rank> from_begin{}; ///< from_...: by axis of the source
    Extents from_step{};
    Extents from_period{};
    Extents length{};  ///< by axis of the target; 1 beyond the array's rank
    Extents repeats{}; ///< by axis of the target; 1 beyond the array's rank
    std::int64_t elements = 1;

    friend bool operator==(const RedistributionPiece&, const RedistributionPiece&) = default;
};

/// The runs of one process: its messages are products of these.
struct RedistributionRuns {
    bool receives = true; ///< a process of the target's grid, else of the source's
    std::array<std::vector<impl::AxisRun>, max_rank> axes{}; ///< by axis of the target, by peer
};

/// Elements that move from process to process, from one layout to another: a plain value,
/// computed without communication.
///
/// Axes are independent: along each, intersecting the two layouts gives a short list of runs
/// (AxisIntersection), and what moves between two processes is the product of the runs between
/// their coordinates, which is iterated and never stored. The two process grids have nothing to do
/// with each other; only wire_elements() and local_elements() ask which processes are one rank.
///
/// Both sides of a message list its pieces in the same order: as in the axes' lists, the last axis
/// of the target fastest. Within a piece the order is that of repeat and element along each axis,
/// the last axis of the target fastest as well. A message packed like this is unpacked like this.
///
/// Collective: no (local); no MPI needed
/// Cost:       building is O(rank), with unstructured or irregular axes O(their tables); the runs of
///             one process: see AxisIntersection; its messages: O(its peers)
/// Errors:     LayoutError if numbers of axes differ, the permutation is none, slices do not fit or an
///             index of the target is not in the source (see AxisIntersection); UsageError for a process
///             outside its grid, or for ranks that are
///             not one for each process, or not different
/// Source:     decision 0004 (a product of short lists)
class RedistributionSchedule {
public:
    /// A RedistributionPlan passes what is `found` where layouts know the labels of one process only: runs of that
    /// process, and totals; LayoutError for those of another.
    RedistributionSchedule(const ArrayLayout& from, const ArrayLayout& to,
                           const RedistributionOptions& options = {},
                           const impl::FoundRuns& found = {});

    const ArrayLayout& from_layout() const noexcept { return m_from; }
    const ArrayLayout& to_layout() const noexcept { return m_to; }
    int rank() const noexcept { return m_to.rank(); }
    /// The axis of the source that axis `axis` of the target takes.
    int permutation(int axis) const noexcept {
        return m_permutation[static_cast<std::size_t>(axis)];
    }
    /// Along axis `axis` of the target.
    const impl::AxisIntersection& axis(int axis) const noexcept {
        return m_axes[static_cast<std::size_t>(axis)];
    }

    /// Number of elements that are paired, each counted once.
    std::int64_t elements() const noexcept;
    /// Number of elements written, which is more where the target's labels are shared or its padding
    /// is filled. Cost: O(the grids' extents, with their runs)
    std::int64_t delivered_elements() const;
    /// Elements of delivered_elements() that another rank sends. Cost: as delivered_elements(), and
    /// O(processes), or O(1) if all processes had to be asked
    std::int64_t wire_elements() const;
    /// Elements that rank `rank` gets from itself.
    ///
    /// Errors: UsageError if it is a process of neither grid
    std::int64_t local_elements(int rank) const;
    /// The rank that is a process of the source's grid, or of the target's.
    int from_rank(int process) const noexcept { return rank_of(m_from_ranks, process); }
    int to_rank(int process) const noexcept { return rank_of(m_to_ranks, process); }
    /// The process of the source's grid, or of the target's, that a rank is; -1 if none.
    int from_process(int rank) const noexcept {
        return process_of(m_from_ranks, m_from.process_count(), rank);
    }
    int to_process(int rank) const noexcept {
        return process_of(m_to_ranks, m_to.process_count(), rank);
    }
    /// Whether every element already is where it goes to: layouts and slices are alike, axes are not
    /// permuted, and nothing is written but owned cells (or there is no element).
    bool is_identity() const noexcept;

    /// Elements that one process sends to (or receives from) one process of the other grid.
    struct Message {
        int peer = 0;
        std::int64_t elements = 0;
        friend bool operator==(const Message&, const Message&) = default;
    };
    /// Messages that process `to_process` of the target receives, by ascending process of the source.
    std::vector<Message> receives(int to_process) const { return messages(runs_to(to_process)); }
    /// Messages that process `from_process` of the source sends, by ascending process of the target.
    std::vector<Message> sends(int from_process) const { return messages(runs_from(from_process)); }
    std::vector<Message> messages(const RedistributionRuns& runs) const;

    /// Runs along all axes that a process receives, or sends.
    RedistributionRuns runs_to(int to_process) const;
    RedistributionRuns runs_from(int from_process) const;

    /// Runs of a process with one process of the other grid, by axis of the target:
    /// what moves between the two is their product. Valid as long as `runs`.
    using PeerRuns = std::array<std::span<const impl::AxisRun>, max_rank>;
    PeerRuns runs_with(const RedistributionRuns& runs, int peer) const;

    /// Calls visit(RedistributionPiece) for each piece that moves between the process of `runs` and
    /// `peer` of the other grid.
    template <class Visitor>
    void for_each_piece(const RedistributionRuns& runs, int peer, Visitor&& visit) const {
        const PeerRuns factors = runs_with(runs, peer);
        std::array<std::size_t, max_rank> choice{};
        for (int d = 0; d < rank(); ++d)
            if (factors[static_cast<std::size_t>(d)].empty()) return;
        do {
            visit(make_piece(runs.receives, factors, choice));
        } while (impl::next_choice(choice, static_cast<std::size_t>(rank()),
                                   [&](std::size_t d) { return factors[d].size(); }));
    }
    /// The same; for several peers of one process, take its runs once.
    template <class Visitor>
    void for_each_piece(int to_process, int from_process, Visitor&& visit) const {
        for_each_piece(runs_to(to_process), from_process, visit);
    }

    /// "1000 elements from 1 x 2 to 2 x 1 processes, 500 of them for others", and a line an axis.
    std::string describe() const;

private:
    friend class impl::RedistributionCore;
    /// Schedules of combine() after this one, where indices of the source are on several
    /// processes: one schedule for each further choice of holders, that of the last axis changing fastest.
    /// They have runs and messages; numbers of elements are those of this schedule.
    std::vector<RedistributionSchedule> of_further_copies() const;

    static int rank_of(const std::vector<int>& ranks, int process) noexcept {
        return ranks.empty() ? process : ranks[static_cast<std::size_t>(process)];
    }
    static int process_of(const std::vector<int>& ranks, int processes, int rank) noexcept;
    RedistributionPiece make_piece(bool receives, const PeerRuns& factors,
                                   const std::array<std::size_t, max_rank>& choice) const;

    ArrayLayout m_from;
    ArrayLayout m_to;
    std::array<int, max_rank> m_permutation{};
    std::array<impl::AxisIntersection, max_rank> m_axes{};
    bool m_is_identity = false;
    std::optional<std::int64_t> m_found_wire_elements; ///< else they follow from the layouts
    std::vector<int> m_from_ranks; ///< empty: process p is rank p; a list would grow with the grid
    std::vector<int> m_to_ranks;   ///< likewise
};

/// Assignment of ranks to the processes of a target's grid that leaves many elements where they are.
///
/// Collective: no (local)
struct Relabelling {
    /// For RedistributionOptions::to_ranks.
    std::vector<int> to_ranks{};
    /// RedistributionSchedule::wire_elements() without it, and with it.
    std::int64_t wire_elements_before = 0;
    std::int64_t wire_elements_after = 0;

    /// "500 elements for other ranks instead of 900"
    std::string describe() const;
};

/// Deals the processes of the target's grid out anew to the ranks of the source's, for the least traffic.
///
///     const Relabelling labels = relabel(from, to);
///     RedistributionPlan plan(comm, from, to, {.to_ranks = labels.to_ranks});
///
/// Each axis is relabelled by itself: the coordinates along it are matched with those of the source's axis
/// such that they share as many elements as possible. What stays on its rank is the product over the axes,
/// so this is the best that relabelling of axes can do; labels that are no product of axes are not tried.
/// The target's section of rank r is then that of another process: that whose entry in to_ranks is r.
///
/// Of axes with different numbers of processes on the two sides nothing is matched: if there is one, or if
/// nothing is gained, to_ranks is as the options have it.
///
/// Collective: no (local); no MPI needed, the same result on all ranks that pass the same
/// Cost:       for an axis of P processes O(P^3) up to 512 of them; beyond, greedily and not always the best,
///             O(pairs that share elements)
/// Errors:     those of RedistributionSchedule
/// Source:     COSTA (Kabic et al. 2021) relabels over all P x P processes at once
Relabelling relabel(const ArrayLayout& from, const ArrayLayout& to,
                    const RedistributionOptions& options = {});

} // namespace distview
