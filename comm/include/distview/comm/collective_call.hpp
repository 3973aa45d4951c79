// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <memory>
#include <string_view>

namespace distview {

/// Names the collective call that this rank is in, from construction to destruction.
///
/// The library's own collective functions begin with one, as should those that a program or a binding makes
/// of several: ranks that are in different calls get a UsageError that says which calls met, instead of
/// waiting for ever or taking each other's values. Of nested ones the outermost counts.
///
///     double energy(const Communicator& comm, ...) {
///         const CollectiveCall call(comm, "energy");
///         return sum(...) + 0.5 * sum(...);
///     }
///
/// The name, of which 47 characters are told, is the same on all ranks.
///
/// Collective: over comm
/// Cost:       some stores into memory that the node's ranks share
class CollectiveCall {
public:
    CollectiveCall(const Communicator& comm, std::string_view name);
    ~CollectiveCall();
    CollectiveCall(const CollectiveCall&) = delete;
    CollectiveCall& operator=(const CollectiveCall&) = delete;

private:
    std::shared_ptr<impl::CommunicatorState> m_state;
    int m_exceptions; ///< under way when it began
};

} // namespace distview
