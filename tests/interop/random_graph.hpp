// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview_testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace distview::testing {

/// The indices that every rank owns and needs; equal on all ranks.
struct RandomGraph {
    using Indices = std::vector<std::int64_t>;

    RandomGraph(Random& random, int ranks)
        : owned(static_cast<std::size_t>(ranks)), needed(static_cast<std::size_t>(ranks)) {
        std::set<std::int64_t> different;
        for (std::int64_t count = random.integer(1, 120); count > 0; --count)
            different.insert(random.integer(0, 100000));
        all.assign(different.begin(), different.end());
        random.shuffle(all);
        for (const std::int64_t index : all)
            owned[static_cast<std::size_t>(random.integer(0, ranks))].push_back(index);
        for (Indices& each : needed)
            for (std::int64_t count = random.chance(0.2) ? 0 : random.integer(0, 60); count > 0;
                 --count)
                each.push_back(random.pick(all));
    }

    GhostedLayout layout(const Communicator& comm,
                         const std::vector<AxisSpec>& more_axes = {}) const {
        const auto me = static_cast<std::size_t>(comm.rank());
        return make_ghosted_layout(comm, owned[me], needed[me], more_axes);
    }

    Indices all{};
    std::vector<Indices> owned, needed;
};

/// A whole number, so that sums of a few are exact in any order.
inline double value_of(std::int64_t index) { return static_cast<double>(index * 3 + 1); }

} // namespace distview::testing
