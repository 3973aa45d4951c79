// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/gather_role.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <span>
#include <vector>

namespace distview::impl {

struct GatherProgramSetting {
    const char* caller = ""; ///< begins the text of errors
    int rank = 0;
    const GatherRole* role = nullptr;
    bool combines = false;
    bool into_array = false;      ///< the list is part of the array
    const ReaderPacks* packs = nullptr;
    std::vector<char> packed{};   ///< by field, whether readers find it there
    DeviceSetting device{};
};

/// Errors: UsageError if a message has more bytes than MPI counts
ExchangeProgram gather_program(const GatherProgramSetting& setting, std::span<const Field> fields,
                               const PeerTransports& transports);

} // namespace distview::impl
