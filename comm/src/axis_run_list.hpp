// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/axis_intersection.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The runs of one section as they are found, in any order.
class AxisRunList {
public:
    struct Found {
        AxisRun run;             ///< steps of a single element mean nothing
        std::int64_t mirror = 0; ///< of the target's axis
        std::int64_t element = 0;
    };

    void add(const Found& found) { m_found.push_back(found); }

    /// By peer, mirror and element, in as few runs as neighbours in that order merge into.
    ///
    /// Depends on the runs of each pair of sections alone and treats both alike, so that both get
    /// the same runs in the same order.
    std::vector<AxisRun> finish();

private:
    std::vector<Found> m_found;
};

} // namespace distview::impl
