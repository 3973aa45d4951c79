// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/gather_role.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace distview::impl {

/// Where the elements of several fields for one rank begin in a message or a pack: one field behind the other, each at
/// a cache line.
struct PackedFields {
    std::vector<std::int64_t> begins{}; ///< bytes, by field
    std::int64_t bytes = 0;
};
/// Of fields[f] for which `packs[f]` is not 0; all if it is empty.
PackedFields packed_fields(std::int64_t elements, std::span<const Field> fields,
                           std::span<const char> packs = {});

struct GatherProgramSetting {
    const char* caller = ""; ///< begins the text of errors
    int rank = 0;
    const GatherRole* role = nullptr;
    bool combines = false;
    bool into_array = false;      ///< the list is part of the array
    std::map<int, char*> packs{}; ///< by reader
    std::vector<char> packed{};   ///< by field, whether readers find it there
    DeviceSetting device{};
};

/// Errors: UsageError if a message has more bytes than MPI counts
ExchangeProgram gather_program(const GatherProgramSetting& setting, std::span<const Field> fields,
                               const PeerTransports& transports);

} // namespace distview::impl
