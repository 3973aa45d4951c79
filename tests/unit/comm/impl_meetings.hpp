// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/communicator_state.hpp>

#include <cstdint>
#include <utility>

namespace distview::testing {

/// How often this rank meets all others in what `action` does.
template <class Action>
std::int64_t meetings_of(const Communicator& comm, Action&& action) {
    const std::uint64_t before = comm.state()->meeting().count();
    std::forward<Action>(action)();
    return static_cast<std::int64_t>(comm.state()->meeting().count() - before);
}

} // namespace distview::testing
