// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Box of elements of one field that this process receives from a process, possibly itself, or sends.
struct ExchangePart {
    PaddingRegion region;
    std::size_t field = 0;
    int rank = 0;
};

/// Boxes that an exchange receives and sends: field by field, in the same order on both sides.
struct ExchangeParts {
    std::vector<ExchangePart> taken;
    std::vector<ExchangePart> given; ///< to other processes only
    std::vector<ExchangePart> owned; ///< `given` as boxes of owned elements, for devices that fill
};

/// Makes the boxes; `schedules` has one schedule for all fields or one for each.
ExchangeParts make_parts(ExchangeKind kind, const std::vector<PaddingExchangeSchedule>& schedules,
                         std::span<const Field> fields, bool for_device);

/// Packs for readers of this process's node: all elements of borrowed fields, which readers cannot map, and
/// short rows of all other fields.
///
/// If a reader copies a row of a few elements, it uses little of each cache line that it fetches from another
/// core. If the owner, which has the row in its cache, packs it, the reader fetches full lines.
class SharedPack : public ReaderPacks {
public:
    /// Packs nothing.
    SharedPack() = default;
    SharedPack(CommunicatorState& state, ExchangeKind kind, const ExchangeParts& parts,
               std::span<const Field> fields);

    /// Whether the owner packs a box, with these strides in its section, though readers could map it.
    static bool has_short_rows(ExchangeKind kind, const ExchangePart& part,
                               std::int64_t element_size,
                               const std::array<std::int64_t, max_rank>& strides);
    /// Whether this process packs a part that it sends.
    bool packs(ExchangeKind kind, const ExchangePart& part, const Field& field) const {
        return m_borrowed[part.field] != 0 ||
               has_short_rows(kind, part, field.element_size, field.strides);
    }

private:
    std::vector<char> m_borrowed; ///< by field
};

/// Appends a part to `bytes` bytes of a message or a SharedPack, which must begin at a cache line. Returns
/// the part's offset, which has the alignment of the elements in memory.
std::int64_t append_packed(std::int64_t& bytes, const ExchangePart& part,
                           std::int64_t element_size);

/// Makes the program of a padding exchange of these fields.
///
/// Errors: UsageError if the size of a message exceeds the range of MPI's counts
ExchangeProgram padding_program(ExchangeKind kind, int process, const ExchangeParts& parts,
                                std::span<const Field> fields, const PeerTransports& transports,
                                const SharedPack& shared_pack, const DeviceSetting& device);

} // namespace distview::impl
