// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/checks.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace distview::impl {

/// Finds cuts of the sorted lists of all ranks such that given numbers of elements lie before the cuts.
///
/// Elements are ordered by `Compare`, equal elements by rank and position: every cut is exact for any number of equal
/// elements. All cuts of a batch are searched for at once. Each rank proposes the middle element of the remaining part
/// of its list. The median of these, weighted by the numbers of remaining elements, is compared with all lists, which
/// excludes at least a quarter of all remaining elements.
template <class T, class Compare>
class SplitSearch {
public:
    /// Allocates all memory that the search needs. Local; ranks must agree on its outcome.
    ///
    /// `numbers`: for each cut, how many elements lie before it. All ranks search for all cuts; this rank keeps only
    /// those with numbers in [begin, end): keeping all of them would need P times the memory.
    SplitSearch(const Communicator& comm, std::span<const T> sorted, const Compare& compare,
                std::vector<std::int64_t> numbers, std::size_t begin, std::size_t end)
        : m_comm(comm), m_sorted(sorted), m_compare(compare),
          m_ranks(static_cast<std::size_t>(comm.size())), m_numbers(std::move(numbers)),
          m_begin(begin), m_end(end), m_cuts((end - begin) * m_ranks) {
        constexpr std::size_t most_bytes = std::size_t{1} << 20;
        m_batch = std::clamp<std::size_t>(most_bytes / (m_ranks * sizeof(Proposal)), 1,
                                          std::max<std::size_t>(1, m_numbers.size()));
        m_searches.reserve(m_batch);
        m_pivots.reserve(m_batch);
        m_proposed.reserve(m_batch);
        m_proposals.reserve(m_batch * m_ranks);
        m_before.reserve(m_batch);
        m_all_before.reserve(m_batch * m_ranks);
        m_order.reserve(m_ranks);
    }

    /// Returns the cuts that this rank keeps, first by number, then by rank. If the comparison throws on any rank, the
    /// search ends on all ranks, and failure() holds the exception on that rank. Call it once.
    ///
    /// Collective: over comm; all ranks have agreed before
    const std::vector<std::int64_t>& find() {
        for (std::size_t first = 0; first < m_numbers.size() && !m_failed; first += m_batch)
            find_batch(first, std::min(first + m_batch, m_numbers.size()));
        return m_cuts;
    }
    const std::exception_ptr& failure() const noexcept { return m_alone.failure(); }

private:
    /// The remaining part of a rank's list for one cut, and its middle element.
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

    void find_batch(std::size_t first, std::size_t last) {
        m_searches.clear();
        for (std::size_t i = first; i < last; ++i)
            m_searches.push_back({m_numbers[i], 0, std::ssize(m_sorted), i});
        while (!m_searches.empty()) {
            propose();
            gather(m_proposed, m_proposals);
            if (m_failed) return;
            m_pivots.clear();
            std::size_t unfinished = 0;
            const std::size_t searches = m_searches.size();
            for (std::size_t i = 0; i < searches; ++i) {
                std::int64_t begin = 0;
                std::int64_t left = 0;
                for (std::size_t r = 0; r < m_ranks; ++r) {
                    begin += m_proposals[r * searches + i].begin;
                    left += m_proposals[r * searches + i].count;
                }
                const Search search = m_searches[i];
                const bool takes_all = begin + left == search.wanted;
                if (begin == search.wanted || takes_all) {
                    for (std::size_t r = 0; r < m_ranks; ++r) {
                        const Proposal& of_rank = m_proposals[r * searches + i];
                        keep(search.number, r, of_rank.begin + (takes_all ? of_rank.count : 0));
                    }
                } else {
                    m_searches[unfinished++] = search;
                    m_pivots.push_back(median(i, searches, left));
                }
            }
            m_searches.erase(m_searches.begin() + static_cast<std::ptrdiff_t>(unfinished),
                             m_searches.end());
            narrow();
            if (m_failed) return;
        }
    }

    void keep(std::size_t number, std::size_t rank, std::int64_t cut) {
        if (m_begin <= number && number < m_end) m_cuts[(number - m_begin) * m_ranks + rank] = cut;
    }

    void propose() {
        m_proposed.clear();
        for (const Search& search : m_searches) {
            const std::int64_t count = search.end - search.begin;
            const std::int64_t middle = search.begin + count / 2;
            const T value = count > 0 ? m_sorted[static_cast<std::size_t>(middle)] : T();
            m_proposed.push_back({value, search.begin, count, failure() != nullptr});
        }
    }

    /// The proposed element for which half of the remaining elements are in lists with smaller proposals, or with equal
    /// proposals of lower ranks.
    Pivot median(std::size_t which, std::size_t stride, std::int64_t left) {
        m_order.clear();
        for (std::size_t r = 0; r < m_ranks; ++r)
            if (m_proposals[r * stride + which].count > 0) m_order.push_back(r);
        m_alone([&] {
            std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
                return m_compare(m_proposals[a * stride + which].value,
                                 m_proposals[b * stride + which].value);
            });
        });
        std::int64_t passed = 0;
        std::size_t at = 0;
        for (std::size_t k = 0; k < m_order.size() && 2 * passed < left; ++k) {
            at = m_order[k];
            passed += m_proposals[at * stride + which].count;
        }
        const Proposal& chosen = m_proposals[at * stride + which];
        return {chosen.value, at, chosen.begin + chosen.count / 2};
    }

    /// Excludes elements on the wrong side of the pivots.
    void narrow() {
        const std::size_t searches = m_searches.size();
        m_before.clear();
        for (std::size_t i = 0; i < searches; ++i) {
            std::int64_t count = m_searches[i].begin;
            m_alone([&] { count = before(m_searches[i], m_pivots[i]); });
            m_before.push_back({count, false});
        }
        for (Before& one : m_before) one.failed = failure() != nullptr;
        gather(m_before, m_all_before);
        for (std::size_t i = 0; i < searches; ++i) {
            std::int64_t total = 0;
            for (std::size_t r = 0; r < m_ranks; ++r) total += m_all_before[r * searches + i].count;
            Search& search = m_searches[i];
            if (total >= search.wanted) {
                search.end = m_before[i].count;
            } else {
                const bool has_pivot = m_pivots[i].rank == static_cast<std::size_t>(m_comm.rank());
                search.begin = m_before[i].count + (has_pivot ? 1 : 0);
            }
        }
    }

    /// Number of elements of this rank's list that lie before a pivot; searches only the remaining part of the list.
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
    void gather(const std::vector<Value>& mine, std::vector<Value>& all) {
        all.resize(mine.size() * m_ranks); // within its reserved capacity
        if (mine.empty()) return;
        all_gather(m_comm, mine.data(), all.data(), mine.size() * sizeof(Value));
        for (const Value& one : all) m_failed = m_failed || one.failed;
    }

    const Communicator& m_comm;
    std::span<const T> m_sorted;
    const Compare& m_compare;
    std::size_t m_ranks;
    std::vector<std::int64_t> m_numbers;
    std::size_t m_begin;
    std::size_t m_end;
    std::vector<std::int64_t> m_cuts;
    std::size_t m_batch = 1; ///< cuts that are searched for together
    // State of a batch; lists of all ranks are ordered by rank first:
    std::vector<Search> m_searches;
    std::vector<Pivot> m_pivots;
    std::vector<Proposal> m_proposed, m_proposals; ///< of this rank, of all
    std::vector<Before> m_before, m_all_before;    ///< likewise
    std::vector<std::size_t> m_order;
    Alone m_alone;
    bool m_failed = false; ///< on any rank; the same on all ranks
};

} // namespace distview::impl
