// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/runtime.hpp>

#include <optional>

namespace distview::perf {

/// The state that main() shares with the benchmarks.
struct State {
    std::optional<Runtime> runtime;
    std::optional<Communicator> comm;
    bool smoke = false;
    bool failed = false;
    int verified = 0; ///< results that were checked
};

State& program_state();

} // namespace distview::perf
