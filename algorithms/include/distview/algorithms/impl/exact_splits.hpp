// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/collectives.hpp>
#include <distview/comm/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace distview::impl {

/// Finds where to cut sorted lists of all ranks such that given numbers of elements are before the cuts.
///
/// Elements are ordered by `Compare`, equal ones by rank and position: every cut is exact, however many
/// equal elements there are. All cuts of a batch are searched for at once: each rank proposes the middle of
/// what is left of its list, the median of these, weighted by what is left, is compared with all lists,
/// and at least a quarter of all that is left drops out.
template <class T, class Compare>
class SplitSearch {
public:
    SplitSearch(const Communicator& comm, std::span<const T> sorted, const Compare& compare)
        : m_comm(comm), m_sorted(sorted), m_compare(compare),
          m_ranks(static_cast<std::size_t>(comm.size())) {}

    /// For the numbers in [begin, end) the elements of each rank's list that are among the first so many of all: first by
    /// number, then by rank. All ranks search for all numbers; to keep all that is found takes P times the memory.
    ///
    /// What the comparison throws on a rank ends the search on all of them; failure() has it on that rank.
    ///
    /// Collective: over comm, all ranks having met; each with its own [begin, end)
    std::vector<std::int64_t> find(std::span<const std::int64_t> numbers, std::size_t begin,
                                   std::size_t end) {
        constexpr std::size_t most_bytes = std::size_t{1} << 20;
        const std::size_t batch =
            std::max<std::size_t>(1, most_bytes / (m_ranks * sizeof(Proposal)));
        std::vector<std::int64_t> cuts((end - begin) * m_ranks);
        const auto keep = [&](std::size_t number, std::size_t rank, std::int64_t cut) {
            if (begin <= number && number < end) cuts[(number - begin) * m_ranks + rank] = cut;
        };
        for (std::size_t first = 0; first < numbers.size() && !m_failed; first += batch)
            find_batch(numbers, first, std::min(first + batch, numbers.size()), keep);
        return cuts;
    }
    const std::exception_ptr& failure() const noexcept { return m_failure; }

private:
    /// What is left of a rank's list for one cut, and the element in its middle.
    struct Proposal {
        T value;
        std::int64_t begin;
        std::int64_t count;
        bool failed;
    };
    struct Search {
        std::int64_t wanted; ///< elements before the cut
        std::int64_t begin;  ///< the cut of this rank's list is in [begin, end]
        std::int64_t end;
        std::size_t number; ///< of the cut
    };
    struct Pivot {
        T value;
        std::size_t rank;
        std::int64_t position;
    };
    struct Before {
        std::int64_t count;
        bool failed;
    };

    template <class Keep>
    void find_batch(std::span<const std::int64_t> numbers, std::size_t first, std::size_t last,
                    const Keep& keep) {
        std::vector<Search> searches;
        for (std::size_t i = first; i < last; ++i)
            searches.push_back({numbers[i], 0, std::ssize(m_sorted), i});
        while (!searches.empty()) {
            const std::vector<Proposal> proposals = gather(propose(searches));
            if (m_failed) return;
            std::vector<Pivot> pivots;
            std::vector<Search> unfinished;
            for (std::size_t i = 0; i < searches.size(); ++i) {
                std::int64_t begin = 0;
                std::int64_t left = 0;
                for (std::size_t r = 0; r < m_ranks; ++r) {
                    begin += proposals[r * searches.size() + i].begin;
                    left += proposals[r * searches.size() + i].count;
                }
                const Search& search = searches[i];
                const bool takes_all = begin + left == search.wanted;
                if (begin == search.wanted || takes_all) {
                    for (std::size_t r = 0; r < m_ranks; ++r) {
                        const Proposal& of_rank = proposals[r * searches.size() + i];
                        keep(search.number, r, of_rank.begin + (takes_all ? of_rank.count : 0));
                    }
                } else {
                    unfinished.push_back(search);
                    pivots.push_back(median(proposals, i, searches.size(), left));
                }
            }
            searches = std::move(unfinished);
            narrow(searches, pivots);
            if (m_failed) return;
        }
    }

    std::vector<Proposal> propose(const std::vector<Search>& searches) const {
        std::vector<Proposal> proposals;
        for (const Search& search : searches) {
            const std::int64_t count = search.end - search.begin;
            const std::int64_t middle = search.begin + count / 2;
            const T value = count > 0 ? m_sorted[static_cast<std::size_t>(middle)] : T();
            proposals.push_back({value, search.begin, count, m_failure != nullptr});
        }
        return proposals;
    }

    /// The proposed element such that half of what is left is in lists with smaller ones, or equal ones of
    /// lower ranks.
    Pivot median(const std::vector<Proposal>& proposals, std::size_t which, std::size_t stride,
                 std::int64_t left) {
        std::vector<std::size_t> order;
        for (std::size_t r = 0; r < m_ranks; ++r)
            if (proposals[r * stride + which].count > 0) order.push_back(r);
        guarded([&] {
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return m_compare(proposals[a * stride + which].value,
                                 proposals[b * stride + which].value);
            });
        });
        std::int64_t passed = 0;
        std::size_t at = 0;
        for (std::size_t k = 0; k < order.size() && 2 * passed < left; ++k) {
            at = order[k];
            passed += proposals[at * stride + which].count;
        }
        const Proposal& chosen = proposals[at * stride + which];
        return {chosen.value, at, chosen.begin + chosen.count / 2};
    }

    /// Drops what is on the wrong side of the pivots.
    void narrow(std::vector<Search>& searches, const std::vector<Pivot>& pivots) {
        std::vector<Before> mine;
        for (std::size_t i = 0; i < searches.size(); ++i) {
            std::int64_t count = searches[i].begin;
            guarded([&] { count = before(searches[i], pivots[i]); });
            mine.push_back({count, false});
        }
        for (Before& one : mine) one.failed = m_failure != nullptr;
        const std::vector<Before> all = gather(mine);
        for (std::size_t i = 0; i < searches.size(); ++i) {
            std::int64_t total = 0;
            for (std::size_t r = 0; r < m_ranks; ++r) total += all[r * searches.size() + i].count;
            Search& search = searches[i];
            if (total >= search.wanted) {
                search.end = mine[i].count;
            } else {
                const bool has_pivot = pivots[i].rank == static_cast<std::size_t>(m_comm.rank());
                search.begin = mine[i].count + (has_pivot ? 1 : 0);
            }
        }
    }

    /// How many elements of this rank's list are before a pivot, within what is left of the list.
    std::int64_t before(const Search& search, const Pivot& pivot) const {
        const auto rank = static_cast<std::size_t>(m_comm.rank());
        if (rank == pivot.rank) return pivot.position;
        const auto first = m_sorted.begin() + search.begin;
        const auto last = m_sorted.begin() + search.end;
        const auto found = rank < pivot.rank
                               ? std::upper_bound(first, last, pivot.value, m_compare)
                               : std::lower_bound(first, last, pivot.value, m_compare);
        return found - m_sorted.begin();
    }

    template <class Value>
    std::vector<Value> gather(const std::vector<Value>& mine) {
        std::vector<Value> all(mine.size() * m_ranks);
        if (mine.empty()) return all;
        all_gather(m_comm, mine.data(), all.data(), mine.size() * sizeof(Value));
        for (const Value& one : all) m_failed = m_failed || one.failed;
        return all;
    }

    template <class Action>
    void guarded(Action&& action) {
        if (m_failure) return;
        try {
            action();
        } catch (...) {
            m_failure = std::current_exception();
        }
    }

    const Communicator& m_comm;
    std::span<const T> m_sorted;
    const Compare& m_compare;
    std::size_t m_ranks;
    std::exception_ptr m_failure;
    bool m_failed = false; ///< on some rank; the same on all
};

} // namespace distview::impl
