// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Ranges of labels that ranks look after, ascending with the ranks.
///
/// Labels at most four times as far apart as there are of them are dealt out in equal pieces of the values
/// between the lowest and the highest; others such that each rank looks after as many.
class LabelRanges {
public:
    /// A label's distance from the lowest one: labels may be as far apart as 64 bits allow.
    using Key = std::uint64_t;

    /// `sorted`: this process's labels, ascending, perhaps several times; `count`: how many different ones
    /// there are on all processes, about.
    ///
    /// Collective: over comm
    /// Cost:       one reduction, or up to 65 and 24 bytes a rank where ranges are not equal
    LabelRanges(const Communicator& comm, std::span<const std::int64_t> sorted, std::int64_t count);

    bool is_empty() const { return m_lowest > m_highest; }
    std::int64_t lowest() const { return m_lowest; }
    std::int64_t highest() const { return m_highest; }
    Key key(std::int64_t label) const {
        return static_cast<Key>(label) - static_cast<Key>(m_lowest);
    }
    int rank_of(std::int64_t label) const;
    /// Where ranges are even: the first label of a rank's, perhaps beyond the highest.
    Key first_key(int rank) const { return static_cast<Key>(rank) * m_width; }

private:
    void divide(const Communicator& comm, std::span<const std::int64_t> sorted);

    Key m_ranks;
    std::int64_t m_lowest = 0;
    std::int64_t m_highest = -1;
    Key m_width = 1;
    bool m_is_even = true;
    std::vector<Key> m_last; ///< by rank but the last one, if ranges are not even
};

} // namespace distview::impl
