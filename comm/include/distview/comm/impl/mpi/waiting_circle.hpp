// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/call_line.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace distview::impl {

/// Sees whether ranks of a node wait for each other in a circle in memory, as they may after errors, when calls
/// cannot be compared. A circle of more than 16 ranks it does not see.
class WaitingCircle {
public:
    /// The line of a rank; null if this one does not see it.
    using LineOf = std::function<CallLine*(int rank)>;

    /// Says on `mine`, this rank's line, that it has looked in vain for what `peer` is to do; -1: for messages only.
    /// `progress` changes with all that this rank gets or does. Returns whether it waits in a circle for sure, which
    /// takes some looks of all that are in it.
    bool look(CallLine& mine, int peer, std::uint64_t progress, const LineOf& line_of);

private:
    struct Waiting {
        const CallLine* line = nullptr;
        std::uint64_t for_what = 0; ///< CallLine::waits_for
        std::uint64_t looks = 0;
    };
    struct Circle {
        std::array<Waiting, 16> ranks{};
        std::size_t count = 0;
    };
    static Circle find(const CallLine& mine, const LineOf& line_of);

    Circle m_seen{}; ///< before
};

} // namespace distview::impl
