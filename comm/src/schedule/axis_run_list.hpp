// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// The runs of one section, added in any order.
class AxisRunList {
public:
    struct Found {
        AxisRun run;             ///< steps of a single element have no meaning
        std::int64_t mirror = 0; ///< mirror of the target's axis
        std::int64_t element = 0;
    };

    void add(const Found& found) {
        m_in_order = m_in_order && found.mirror == 0 &&
                     (m_found.empty() || m_found.back().element <= found.element);
        m_most_peer = std::max(m_most_peer, found.run.peer);
        m_found.push_back(found);
    }
    void reserve(std::int64_t count) { m_found.reserve(static_cast<std::size_t>(count)); }

    /// Returns the runs by peer, mirror and element. Neighbours in that order are merged where they fit.
    ///
    /// The result depends only on the runs of each pair of sections and treats both sections
    /// alike, so that both get the same runs in the same order.
    std::vector<AxisRun> finish();

private:
    /// The runs, and the ends of the runs of each peer and mirror.
    struct Sorted {
        std::vector<AxisRun> runs{};
        std::vector<std::size_t> ends{};
    };
    Sorted sort();
    Sorted deal_out() const;

    std::vector<Found> m_found;
    bool m_in_order = true; ///< by element, without mirrors
    int m_most_peer = -1;
};

} // namespace distview::impl
