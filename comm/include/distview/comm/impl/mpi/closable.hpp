// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace distview::impl {

/// Base of objects that hold MPI objects of a communicator and must let go of them before it is freed.
class Closable {
public:
    using Time = std::chrono::steady_clock::time_point;
    /// Given to what others may still be doing: as long as a neighbour may need that is in the middle of an execution.
    static constexpr std::chrono::seconds grace{2};
    virtual ~Closable() = default;
    /// Gives up what is under way, so that nobody waits for this process; local, does not throw.
    virtual void leave() noexcept = 0;
    /// Frees MPI objects; local, does not throw. What others may still be doing with them gets until `deadline`.
    virtual void close(Time deadline) noexcept = 0;
};

} // namespace distview::impl
