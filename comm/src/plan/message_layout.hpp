// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace distview::impl {

/// Offsets at which the elements of several fields for one rank begin in a message or a pack: field after field.
struct PackedFields {
    std::vector<std::int64_t> begins{}; ///< bytes, by field
    std::int64_t bytes = 0;
};
/// Offsets of the fields f with `packs[f]` not 0; of all fields if `packs` is empty.
PackedFields packed_fields(std::int64_t elements, std::span<const Field> fields,
                           std::span<const char> packs = {});
/// By field: whether its owner packs it for this process, which cannot map it.
std::vector<char> packed_by(const ReadablePeer& owner);

/// The place of one rank's message in a buffer.
struct MessagePlace {
    char* data = nullptr;   ///< for MPI
    char* kernel = nullptr; ///< for kernels: the same, or device memory for staging
    std::int64_t bytes = 0;

    Incoming incoming(int rank) const {
        return {.rank = rank,
                .bytes = bytes,
                .message = {rank, data, bytes},
                .staged = kernel == data ? nullptr : kernel};
    }
};
/// Places of messages, by rank.
struct MessagePlaces {
    std::map<int, MessagePlace> sent{};
    std::map<int, MessagePlace> received{};
};
/// Makes buffers for messages of the given numbers of bytes, by rank, and appends the messages to send to the program.
/// The program keeps the buffers and the packs.
///
/// Errors: UsageError, naming `caller`, if the size of a message exceeds the range of MPI's counts
MessagePlaces lay_out(ExchangeProgram& program, const char* caller, const DeviceSetting& device,
                      const std::map<int, std::int64_t>& sent,
                      const std::map<int, std::int64_t>& received, const ReaderPacks& packs);

} // namespace distview::impl
