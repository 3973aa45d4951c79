// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/label_numbering.hpp"

#include "plan/label_ranges.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>
#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace distview::impl {

namespace {

using Key = LabelRanges::Key;

/// Message of a process that registers a label.
struct Holding {
    std::int64_t label;
    std::int64_t local;
    std::int64_t coordinate;
};

struct RegisteredLabel {
    Holding holding;
    int rank;
};

auto place_of(const RegisteredLabel& entry) {
    return std::tie(entry.holding.label, entry.holding.coordinate, entry.holding.local);
}

/// Answer to a holder of a label: the label's cell.
struct Numbered {
    std::int64_t local;
    std::int64_t cell;
    int rank; ///< process that holds the label
};

/// The labels in this rank's range, sorted.
class LabelDirectory {
public:
    void add(int rank, const Holding& holding) { m_entries.push_back({holding, rank}); }

    /// Sorts the labels, and throws LayoutError if they break a promise of the axis.
    void check(const PartlyKnownAxis& axis) {
        std::sort(m_entries.begin(), m_entries.end(),
                  [](const RegisteredLabel& a, const RegisteredLabel& b) {
                      return place_of(a) < place_of(b);
                  });
        for (std::size_t i = 0; i < m_entries.size();) {
            const Holding& first = m_entries[i].holding;
            const bool is_new = i == 0 || m_entries[i - 1].holding.label != first.label;
            m_distinct += is_new;
            require<LayoutError>(is_new || !axis.lists.one_to_one(), [&] {
                return text(axis.where, "one_to_one is true, but index ", first.label,
                            " is on more than one process");
            });
            int copies = 0;
            bool same_place = true;
            for (; i < m_entries.size() && m_entries[i].holding.label == first.label &&
                   m_entries[i].holding.coordinate == first.coordinate;
                 ++i, ++copies)
                same_place = same_place && m_entries[i].holding.local == first.local;
            require<LayoutError>(copies == axis.copies && same_place, [&] {
                return text(axis.where, "the ", axis.copies, " processes with coordinate ",
                            first.coordinate, " list different indices, for example ", first.label);
            });
        }
    }
    std::int64_t distinct() const { return m_distinct; }
    /// Whether some process registered `label` here.
    bool holds(std::int64_t label) const {
        const auto found = std::lower_bound(
            m_entries.begin(), m_entries.end(), label,
            [](const RegisteredLabel& entry, std::int64_t l) { return entry.holding.label < l; });
        return found != m_entries.end() && found->holding.label == label;
    }

    /// Numbers the cells of all labels, from `cell` on.
    std::vector<Numbered> numbered(std::int64_t cell) const {
        std::vector<Numbered> result;
        result.reserve(m_entries.size());
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            if (i > 0 && m_entries[i].holding.label != m_entries[i - 1].holding.label) ++cell;
            result.push_back({m_entries[i].holding.local, cell, m_entries[i].rank});
        }
        return result;
    }

private:
    std::vector<RegisteredLabel> m_entries;
    std::int64_t m_distinct = 0;
};

/// The lowest of the labels 0 to size - 1 that no process holds, if all labels are in this range; else -1.
std::int64_t lowest_missing(const Communicator& comm, const LabelRanges& ranges,
                            const LabelDirectory& directory, std::int64_t size) {
    if (size == 0) return -1;
    if (ranges.is_empty()) return 0;
    if (ranges.lowest() < 0 || ranges.highest() >= size) return -1;
    if (ranges.lowest() > 0) return 0;
    // Labels from 0 to at most size - 1 have even ranges.
    std::int64_t missing = ranges.highest() + 1;
    const auto limit = static_cast<Key>(ranges.highest());
    const Key end = std::min(ranges.first_key(comm.rank() + 1), limit + 1);
    for (Key label = ranges.first_key(comm.rank()); label < end; ++label)
        if (!directory.holds(static_cast<std::int64_t>(label))) {
            missing = static_cast<std::int64_t>(label);
            break;
        }
    return all_reduce(comm, ReduceOperation::min, missing);
}

/// Checks the number of different labels. All ranks know the same numbers, so that all throw or none.
void check_number(const Communicator& comm, const PartlyKnownAxis& axis, const LabelRanges& ranges,
                  const LabelDirectory& directory) {
    const std::int64_t size = axis.lists.size();
    const std::int64_t distinct = all_reduce(comm, ReduceOperation::sum, directory.distinct());
    if (distinct == size) return;
    const std::int64_t missing =
        distinct < size ? lowest_missing(comm, ranges, directory, size) : -1;
    std::string hint;
    if (missing >= 0) hint = text(": no process has index ", missing);
    throw LayoutError(text(axis.where, "expected ", size,
                           " different indices on all processes together, the axis size, got ",
                           distinct, hint));
}

} // namespace

std::vector<std::int64_t> cells_of_labels(const Communicator& comm, const PartlyKnownAxis& axis) {
    const bool holds = axis.coordinate >= 0;
    const auto count =
        holds ? static_cast<std::size_t>(axis.lists.owned_local(axis.coordinate).size()) : 0;
    const std::span sorted(holds ? axis.lists.sorted_labels(axis.coordinate) : nullptr, count);
    const LabelRanges ranges(comm, sorted, axis.lists.size());

    std::vector<Holding> holdings;
    std::vector<std::int64_t> cells;
    const auto prepare = [&] {
        cells.resize(count);
        holdings.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            holdings.push_back(
                {sorted[i], axis.lists.sorted_positions(axis.coordinate)[i], axis.coordinate});
        return parcels_of(holdings, [&](const Holding& h) { return ranges.rank_of(h.label); });
    };
    LabelDirectory directory;
    exchange_records<Holding>(
        comm, plan_names::redistribution, prepare,
        [&](int rank, const Holding& holding) { directory.add(rank, holding); });
    agree_on(comm, plan_names::redistribution, [&] { directory.check(axis); });
    check_number(comm, axis, ranges, directory);
    if (!axis.wants_cells) return {};

    if (ranges.key(ranges.highest()) == static_cast<Key>(axis.lists.size()) - 1) {
        // Labels without gaps: cells follow without messages.
        for (const Holding& holding : holdings)
            cells[static_cast<std::size_t>(holding.local)] = holding.label - ranges.lowest();
        return cells;
    }
    std::int64_t first = 0;
    const std::int64_t distinct = directory.distinct();
    check_mpi(MPI_Exscan(&distinct, &first, 1, MPI_INT64_T, MPI_SUM, comm.mpi()), "MPI_Exscan");
    if (comm.rank() == 0) first = 0; // MPI does not write it on rank 0
    std::vector<Numbered> numbered;
    const auto reply = [&] {
        numbered = directory.numbered(first);
        return parcels_by_rank(numbered);
    };
    // The consumer only stores into `cells`, and allocates nothing.
    exchange_records<Numbered>(comm, plan_names::redistribution, reply,
                               [&](int, const Numbered& number) {
                                   cells[static_cast<std::size_t>(number.local)] = number.cell;
                               });
    return cells;
}

} // namespace distview::impl
