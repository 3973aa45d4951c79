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

/// Arguments for binding arrays if sources and targets share memory.
struct InPlaceSetting {
    const Communicator& comm;
    const RedistributionSchedule& schedule;
    const RedistributionRole& role;
    const ArraySet& arrays;
    const PlanLines& lines;
    std::optional<Transport> required;
    std::int64_t buffer_bytes = 0; ///< largest buffer allowed; 0: no limit
    int tag = 0;
    bool oversubscribed = false;
    /// Called in the last agreed step.
    std::function<void(const std::shared_ptr<ExchangeBinding>&)> complete{};
};

/// Binds arrays such that all elements are packed before any is overwritten: in one round, or for a transposition onto
/// itself (`is_same`: every source is its target) in as many rounds as the buffer requires.
///
/// Collective.
/// Errors: UsageError if buffer_bytes is too small: names the bytes needed; those of TransportSearch::run() (on
///         all ranks)
std::shared_ptr<ExchangeBinding> bind_in_place(const InPlaceSetting& setting, bool is_same);

/// Allocates memory for messages and for elements that other ranks read in place: in the arena if `is_shared` and if
/// the arena has room.
std::shared_ptr<char> exchange_memory(CommunicatorState& state, std::int64_t bytes, bool is_shared);

} // namespace distview::impl
