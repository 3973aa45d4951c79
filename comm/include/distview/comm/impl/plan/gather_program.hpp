// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/gather_role.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <map>
#include <span>
#include <vector>

namespace distview::impl {

struct GatherProgramSetting {
    const char* caller = ""; ///< begins the text of errors
    int rank = 0;
    const GatherRole* role = nullptr;
    bool combines = false;
    bool into_array = false;      ///< the list is part of the array
    bool packs_apart = false;     ///< whether owners pack elements that lie apart
    const ReaderPacks* packs = nullptr;
    /// By reader, then by field: whether its elements are in the pack.
    std::map<int, std::vector<char>> packed{};
    DeviceSetting device{};
};

/// Errors: UsageError if a message has more bytes than MPI counts
ExchangeProgram gather_program(const GatherProgramSetting& setting, std::span<const Field> fields,
                               const PeerTransports& transports);

} // namespace distview::impl
