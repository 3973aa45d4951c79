// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/shared_rounds.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstddef>
#include <vector>

namespace distview::impl {

/// Makes the programs of a redistribution, one per round: the first program moves all elements except the later rounds'
/// parts of borrowed arrays.
///
/// With `writes`, `transports` are for targets, which this process writes in place.
///
/// Errors: UsageError if the size of a message exceeds the range of MPI's counts
std::vector<ExchangeProgram>
redistribution_programs(const RedistributionSchedule& schedule, const RedistributionRole& role,
                        const ArraySet& arrays, const PeerTransports& transports,
                        const SharedRounds& rounds, bool writes, const DeviceSetting& device);

/// Appends the units of a transfer to a program, and a batch of these units to one of its lists.
void add_transfer(ExchangeProgram& program, std::vector<Batch>& batches, std::size_t field,
                  Batch::Kind kind, MoveTransfer transfer,
                  std::int64_t unit_elements = tuning::unit_elements);

/// Ends of transfers: an array's section; a buffer with elements in the order of the source's axes.
inline MoveTransfer::End section_end(const Field& field) {
    return {field.data, field.element_size, false, field.strides};
}
inline MoveTransfer::End packed_end(const char* data, std::int64_t element_size) {
    return {const_cast<char*>(data), element_size, true, {}};
}

} // namespace distview::impl
