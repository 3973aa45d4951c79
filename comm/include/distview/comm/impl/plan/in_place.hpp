// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/exchange_binding.hpp>
#include <distview/comm/impl/plan/redistribution_program.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/comm/transport.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace distview::impl {

/// Arguments of binding arrays of which sources and targets share memory.
struct InPlaceSetting {
    const Communicator& comm;
    const RedistributionSchedule& schedule;
    const RedistributionRole& role;
    const ArraySet& arrays;
    const PlanLines& lines;
    std::optional<Transport> required;
    std::int64_t buffer_bytes = 0; ///< most of them; 0: no limit was set
    int tag = 0;
    bool crowded = false;
};

/// Whether elements that move twice, from an array to itself, are where they were: then those of two places
/// change places, and no third place is needed. Every place that is written is one that is read.
bool is_involution(const RedistributionSchedule& schedule);

/// Collective. Of arrays of which every source `is_same` as its target, elements may be exchanged in pairs.
///
/// Errors: UsageError if buffer_bytes is too small, saying what is needed; those of find_transports() (on
///         all ranks)
std::shared_ptr<ExchangeBinding> bind_in_place(const InPlaceSetting& setting, bool is_same);

/// All elements that a process sends, to itself, too, leave its section before one arrives.
std::shared_ptr<ExchangeBinding> bind_packed(const InPlaceSetting& setting);
/// Binds an exchange of places, a part at a time.
std::shared_ptr<ExchangeBinding> bind_exchanging(const InPlaceSetting& setting);

/// The fields' elements for one process, packed one field after the other.
struct PackedFields {
    std::vector<std::int64_t> begins;
    std::int64_t bytes = 0;

    PackedFields(std::int64_t elements, std::span<const Field> fields);
};

/// Memory for messages and for what others read in place: in the arena if it `is_shared` and can be had
/// there.
std::shared_ptr<char> exchange_memory(CommunicatorState& state, std::int64_t bytes, bool is_shared);

/// Throws the same UsageError on all ranks if one of them needs more than it may have. Collective.
void require_room(const InPlaceSetting& setting, std::int64_t needed);

} // namespace distview::impl
