// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <cstdlib>
#include <optional>
#include <string>

namespace distview::perf {

/// The result of `make`, called while DISTVIEW_TRANSPORT names this transport.
template <class Make>
auto made_for_transport(const char* transport, Make&& make) {
    constexpr const char* variable = "DISTVIEW_TRANSPORT";
    const char* const old = std::getenv(variable);
    const std::optional<std::string> kept = old ? std::optional<std::string>(old) : std::nullopt;
    setenv(variable, transport, 1);
    auto made = make();
    if (kept)
        setenv(variable, kept->c_str(), 1);
    else
        unsetenv(variable);
    return made;
}

/// A plan that uses one transport only (and local copies within a section), whatever the environment requests.
///
/// Collective: over comm
/// Errors:     UsageError from its first use if the ranks cannot reach each other that way
inline PaddingExchangePlan plan_of_transport(const char* transport, const Communicator& comm,
                                             const ArrayLayout& layout) {
    return made_for_transport(transport, [&] { return PaddingExchangePlan(comm, layout); });
}
inline RedistributionPlan plan_of_transport(const char* transport, const Communicator& comm,
                                            const ArrayLayout& from, const ArrayLayout& to,
                                            const RedistributionOptions& options) {
    return made_for_transport(transport,
                              [&] { return RedistributionPlan(comm, from, to, options); });
}

} // namespace distview::perf
