// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_plan.hpp>

#include <cstdlib>
#include <optional>
#include <string>

namespace distview::perf {

/// A plan that uses one transport only (and copies within a section), whatever the environment says.
///
/// Collective: over comm
/// Errors:     UsageError from its first use if the ranks cannot reach each other that way
inline PaddingExchangePlan plan_of_transport(const char* transport, const Communicator& comm,
                                             const ArrayLayout& layout) {
    constexpr const char* variable = "DISTVIEW_TRANSPORT";
    const char* const old = std::getenv(variable);
    const std::optional<std::string> kept = old ? std::optional<std::string>(old) : std::nullopt;
    setenv(variable, transport, 1);
    PaddingExchangePlan plan(comm, layout);
    if (kept)
        setenv(variable, kept->c_str(), 1);
    else
        unsetenv(variable);
    return plan;
}

} // namespace distview::perf
