// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/label_ranges.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace distview::impl {

LabelRanges::LabelRanges(const Communicator& comm, std::span<const std::int64_t> sorted,
                         std::int64_t count)
    : m_ranks(static_cast<Key>(comm.size())) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    // ~x is -x - 1: its minimum belongs to the highest label.
    std::int64_t ends[2]{sorted.empty() ? most : sorted.front(),
                         sorted.empty() ? most : ~sorted.back()};
    all_reduce(comm, ReduceOperation::min, std::span<std::int64_t>(ends));
    m_lowest = ends[0];
    m_highest = ~ends[1];
    if (is_empty()) return;
    m_width = key(m_highest) / m_ranks + 1;
    m_is_even = key(m_highest) / 4 < static_cast<Key>(count);
    if (!m_is_even) divide(comm, sorted);
}

int LabelRanges::rank_of(std::int64_t label) const {
    if (m_is_even) return static_cast<int>(key(label) / m_width);
    return static_cast<int>(std::lower_bound(m_last.begin(), m_last.end(), key(label)) -
                            m_last.begin());
}

/// Bisects for the last label of every rank's range except the last rank's, all at once, for equal numbers of labels.
void LabelRanges::divide(const Communicator& comm, std::span<const std::int64_t> sorted) {
    const auto count = static_cast<std::size_t>(m_ranks) - 1;
    const std::int64_t all =
        all_reduce(comm, ReduceOperation::sum, static_cast<std::int64_t>(sorted.size()));
    const auto ranks = static_cast<std::int64_t>(m_ranks);
    std::vector<Key> first;
    std::vector<std::int64_t> below;
    agree_on(comm, plan_names::redistribution, [&] {
        first.assign(count, 0);
        below.assign(count, 0);
        m_last.assign(count, key(m_highest));
    });
    const auto middle = [&](std::size_t i) { return first[i] + (m_last[i] - first[i]) / 2; };
    while (first != m_last) {
        for (std::size_t i = 0; i < count; ++i)
            below[i] =
                std::partition_point(sorted.begin(), sorted.end(),
                                     [&](std::int64_t label) { return key(label) <= middle(i); }) -
                sorted.begin();
        all_reduce(comm, ReduceOperation::sum, std::span(below));
        for (std::size_t i = 0; i < count; ++i) {
            const auto share = static_cast<std::int64_t>(i) + 1;
            const std::int64_t wanted = all / ranks * share + all % ranks * share / ranks;
            if (first[i] == m_last[i]) continue;
            if (below[i] >= wanted)
                m_last[i] = middle(i);
            else
                first[i] = middle(i) + 1;
        }
    }
}

} // namespace distview::impl
