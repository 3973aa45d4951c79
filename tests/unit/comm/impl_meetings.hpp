// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <cstdint>
#include <utility>

namespace distview::testing {

/// The number of times that this rank meets all others during `action`.
template <class Action>
std::int64_t meetings_of(const Communicator& comm, Action&& action) {
    const std::uint64_t before = distview::impl::state_of(comm)->meeting().count();
    std::forward<Action>(action)();
    return static_cast<std::int64_t>(distview::impl::state_of(comm)->meeting().count() - before);
}

/// Whether ranks see each other's calls in shared memory. Otherwise, as on different nodes, they compare calls only by
/// messages.
inline bool compares_calls_in_memory(const Communicator& comm) {
    return distview::impl::state_of(comm)->calls().ranks().size() ==
           static_cast<std::size_t>(comm.size());
}

} // namespace distview::testing
