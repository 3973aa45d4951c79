// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Ranges of labels, one per rank, ascending with the ranks: each rank is the directory of its range.
///
/// If the span of the labels is at most four times their number, the values between the lowest and the highest
/// label are cut into equal ranges; otherwise into ranges with equal numbers of labels.
class LabelRanges {
public:
    /// A label's distance from the lowest label: labels may be as far apart as 64 bits allow.
    using Key = std::uint64_t;

    /// `sorted`: this process's labels, ascending, perhaps several times; `count`: about the number of different
    /// labels on all processes.
    ///
    /// Collective: over comm
    /// Cost:       one reduction, or, if ranges are not equal, up to 65 reductions and 24 bytes per rank
    LabelRanges(const Communicator& comm, std::span<const std::int64_t> sorted, std::int64_t count);

    bool is_empty() const { return m_lowest > m_highest; }
    std::int64_t lowest() const { return m_lowest; }
    std::int64_t highest() const { return m_highest; }
    Key key(std::int64_t label) const {
        return static_cast<Key>(label) - static_cast<Key>(m_lowest);
    }
    int rank_of(std::int64_t label) const;
    /// The first label of a rank's range, perhaps beyond the highest label; only if ranges are even.
    Key first_key(int rank) const { return static_cast<Key>(rank) * m_width; }

private:
    void divide(const Communicator& comm, std::span<const std::int64_t> sorted);

    Key m_ranks;
    std::int64_t m_lowest = 0;
    std::int64_t m_highest = -1;
    Key m_width = 1;
    bool m_is_even = true;
    std::vector<Key> m_last; ///< by rank except the last, if ranges are not even
};

} // namespace distview::impl
