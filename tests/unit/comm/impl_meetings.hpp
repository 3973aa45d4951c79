// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <cstdint>
#include <utility>

namespace distview::testing {

/// How often this rank meets all others in what `action` does.
template <class Action>
std::int64_t meetings_of(const Communicator& comm, Action&& action) {
    const std::uint64_t before = distview::impl::state_of(comm)->meeting().count();
    std::forward<Action>(action)();
    return static_cast<std::int64_t>(distview::impl::state_of(comm)->meeting().count() - before);
}

/// Whether ranks see each other's calls wherever they are. Else, as on different nodes, only where messages meet.
inline bool compares_calls_in_memory(const Communicator& comm) {
    return distview::impl::state_of(comm)->calls().ranks().size() ==
           static_cast<std::size_t>(comm.size());
}

} // namespace distview::testing
