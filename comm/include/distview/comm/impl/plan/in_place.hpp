// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/exchange_binding.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace distview::impl {

/// Arguments of binding arrays of which sources and targets share memory.
struct InPlaceSetting {
    const Communicator& comm;
    const RedistributionSchedule& schedule;
    const RedistributionRole& role;
    const ArraySet& arrays;
    const PlanLines& lines;
    std::optional<Transport> required;
    std::int64_t buffer_bytes = 0; ///< largest buffer allowed; 0: no limit was set
    int tag = 0;
    bool oversubscribed = false;
    /// Called in the last agreed step.
    std::function<void(const std::shared_ptr<ExchangeBinding>&)> complete{};
};

/// Binds arrays whose elements are all packed before one is overwritten: in one round or, of a transposition onto
/// itself (`is_same`: every source is its target), in as many as the buffer demands.
///
/// Collective.
/// Errors: UsageError if buffer_bytes is too small, saying what is needed; those of TransportSearch::run() (on
///         all ranks)
std::shared_ptr<ExchangeBinding> bind_in_place(const InPlaceSetting& setting, bool is_same);

/// Memory for messages and for what others read in place: in the arena if it `is_shared` and can be had
/// there.
std::shared_ptr<char> exchange_memory(CommunicatorState& state, std::int64_t bytes, bool is_shared);

} // namespace distview::impl
