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

/// Options of a redistribution; by default every interior cell moves to the cell with the same global index.
///
/// Without slices (AxisSlice() on both sides) an axis is paired by global index: cell i of a structured axis, from 0
/// on, with cell i; on unstructured axes, which list their indices, equal indices; between an unstructured and a
/// structured axis, index i with cell i. Elements of the source whose index the target does not have do not move.
/// Slices are paired by order, element by element; on an unstructured axis a slice counts cells by ascending index.
/// Ghosts are neither read nor written.
struct RedistributionOptions {
    /// Axis d of the target is axis permutation[d] of the source; empty: the identity.
    std::vector<int> permutation{};
    /// Slice of each axis of the source; empty: everything.
    std::vector<AxisSlice> from_slice{};
    /// Slice of each axis of the target; empty: everything.
    std::vector<AxisSlice> to_slice{};
    /// Whether a target may have indices that the source lacks, along an axis that is paired by index; elements
    /// with these indices stay as they are. Without the option such indices are an error.
    bool allow_missing_indices = false;
    /// Whether to write also the communication padding (and on periodic axes the boundary padding)
    /// of the target that mirrors cells of its slice. Ghosts need a GhostExchangePlan.
    bool fill_padding = false;
    /// Whether to conjugate complex elements as they move.
    bool conjugate = false;
    /// The ranks of processes 0, 1, ... of the source's grid, and of the target's; empty: process p is
    /// rank p. All different; a rank may be in one grid, in both or in none.
    std::vector<int> from_ranks{};
    std::vector<int> to_ranks{};
    /// Whether sources and targets may share memory. If they do, every element is read before it is overwritten, and
    /// old values of a target cannot contribute to the result: beta must be 0, nothing is combined. The option has no
    /// effect on arrays that share no memory, nor on an array that moves onto itself without any element moving.
    bool in_place = false;
    /// Most bytes that a rank uses beside the arrays if they share memory; 0: a good size. A transposition of a square
    /// array onto itself uses a few MiB and works with less; any other move needs room for the elements that the rank
    /// sends, to itself included, and for the elements that it receives in messages.
    std::int64_t buffer_bytes = 0;
};

/// A box of elements that moves between two sections: a product of one AxisRun for each axis.
///
/// Along axis d of the target, element j of repeat i has the local index `to_begin[d] + j * to_step[d] +
/// i * to_period[d]` in the target's section. In the source's section the same expression holds with
/// `from_...[a]`, a = permutation[d].
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

/// The runs of one process; its messages are products of these runs.
struct RedistributionRuns {
    bool receives = true; ///< process of the target's grid, else of the source's
    std::array<std::vector<impl::AxisRun>, max_rank> axes{}; ///< by axis of the target, by peer
};

/// Elements that move from process to process, from one layout to another: a plain value,
/// computed without communication.
///
/// Axes are independent: along each axis the intersection of the two layouts is a short list of runs
/// (AxisIntersection). The elements that move between two processes are the product of the runs between
/// their coordinates, iterated and never stored. The two process grids are independent of each other;
/// only wire_elements() and local_elements() use which processes are the same rank.
///
/// Both sides of a message list its pieces in the same order: the order of the axes' lists, with the last
/// axis of the target fastest. Within a piece elements follow by repeat and element along each axis, again
/// with the last axis of the target fastest. Sender and receiver pack and unpack in this order.
///
/// Collective: no (local); no MPI needed
/// Cost:       building is O(rank), with unstructured or irregular axes O(size of their tables); the runs of
///             one process: see AxisIntersection; its messages: O(number of its peers)
/// Errors:     LayoutError if numbers of axes differ, the permutation is not a permutation, slices do not fit or
///             an index of the target is not in the source (see AxisIntersection); UsageError for a process
///             outside its grid, or if ranks are not one for each process, or not all different
/// Source:     decision 0004 (a product of short lists)
class RedistributionSchedule {
public:
    /// If layouts know the labels of one process only, a RedistributionPlan passes the `found` runs of that process
    /// and totals; runs of another process are then a LayoutError.
    RedistributionSchedule(const ArrayLayout& from, const ArrayLayout& to,
                           const RedistributionOptions& options = {},
                           const impl::FoundRuns& found = {});

    const ArrayLayout& from_layout() const noexcept { return m_from; }
    const ArrayLayout& to_layout() const noexcept { return m_to; }
    int rank() const noexcept { return m_to.rank(); }
    /// The axis of the source that is axis `axis` of the target.
    int permutation(int axis) const noexcept {
        return m_permutation[static_cast<std::size_t>(axis)];
    }
    /// Intersection of the layouts along axis `axis` of the target.
    const impl::AxisIntersection& axis(int axis) const noexcept {
        return m_axes[static_cast<std::size_t>(axis)];
    }

    /// Number of paired elements, each counted once.
    std::int64_t elements() const noexcept;
    /// Number of elements written: larger than elements() if processes of the target share labels or if
    /// padding is filled. Cost: O(the grids' extents, with their runs)
    std::int64_t delivered_elements() const;
    /// Number of the delivered_elements() that another rank sends. Cost: as delivered_elements(), and
    /// O(processes), or O(1) if the plan asked all processes for their labels
    std::int64_t wire_elements() const;
    /// Number of elements that rank `rank` receives from itself.
    ///
    /// Errors: UsageError if the rank is a process of neither grid
    std::int64_t local_elements(int rank) const;
    /// The rank of a process of the source's grid, or of the target's.
    int from_rank(int process) const noexcept { return rank_of(m_from_ranks, process); }
    int to_rank(int process) const noexcept { return rank_of(m_to_ranks, process); }
    /// The process of a rank in the source's grid, or in the target's; -1 if it is in none.
    int from_process(int rank) const noexcept {
        return process_of(m_from_ranks, m_from.process_count(), rank);
    }
    int to_process(int rank) const noexcept {
        return process_of(m_to_ranks, m_to.process_count(), rank);
    }
    /// Whether every element is already in its place: layouts and slices are equal, axes are not
    /// permuted, and only owned cells are written (or no element moves).
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

    /// Runs along all axes that a process receives, or that it sends.
    RedistributionRuns runs_to(int to_process) const;
    RedistributionRuns runs_from(int from_process) const;

    /// Runs between a process and one process of the other grid, by axis of the target:
    /// the elements that move between the two are their product. Valid as long as `runs`.
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
    /// The same for two processes; for several peers of one process, runs_to() once is cheaper.
    template <class Visitor>
    void for_each_piece(int to_process, int from_process, Visitor&& visit) const {
        for_each_piece(runs_to(to_process), from_process, visit);
    }

    /// "1000 elements from 1 x 2 to 2 x 1 processes, 500 of them for others", and one line per axis.
    std::string describe() const;

private:
    friend class impl::RedistributionCore;
    /// Further schedules of combine() if several processes of the source hold an index: one schedule for each
    /// further choice of holders, with the holder along the last axis changing fastest.
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
    std::optional<std::int64_t> m_found_wire_elements; ///< empty: computed from the layouts
    std::vector<int> m_from_ranks; ///< empty: process p is rank p; a list would grow with the grid
    std::vector<int> m_to_ranks;   ///< likewise
};

/// Assignment of ranks to the processes of a target's grid such that many elements stay on their rank.
///
/// Collective: no (local)
struct Relabelling {
    /// For RedistributionOptions::to_ranks.
    std::vector<int> to_ranks{};
    /// RedistributionSchedule::wire_elements() without to_ranks, and with it.
    std::int64_t wire_elements_before = 0;
    std::int64_t wire_elements_after = 0;

    /// "500 elements for other ranks instead of 900"
    std::string describe() const;
};

/// Assigns the ranks of the source's grid to the processes of the target's grid such that few elements move.
///
///     const Relabelling labels = relabel(from, to);
///     RedistributionPlan plan(comm, from, to, {.to_ranks = labels.to_ranks});
///
/// Each axis is relabelled separately: the target's coordinates are matched with the source's coordinates such that
/// matched pairs share as many elements as possible. The number of elements that stay is the product over the axes,
/// so the result is the best relabelling of axes; relabellings that are not a product of axes are not tried. Rank r
/// then has the target section of the process whose entry in to_ranks is r.
///
/// An axis with different numbers of processes on the two sides cannot be matched. If an axis cannot be matched, or
/// if nothing is gained, the result has the to_ranks of the options.
///
/// Collective: no (local); no MPI needed, the same result on all ranks that pass the same arguments
/// Cost:       O(P^3) for an axis of P <= 512 processes; beyond, a greedy matching, not always the best,
///             O(pairs that share elements)
/// Errors:     those of RedistributionSchedule
/// Source:     COSTA (Kabic et al. 2021) relabels over all P x P processes at once
Relabelling relabel(const ArrayLayout& from, const ArrayLayout& to,
                    const RedistributionOptions& options = {});

} // namespace distview
