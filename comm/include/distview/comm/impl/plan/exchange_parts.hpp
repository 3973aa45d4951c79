// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace distview::impl {

/// Kinds of padding exchange.
enum class ExchangeKind {
    fill,   ///< owned elements are copied into others' padding
    combine ///< the reverse: padding is combined with the elements that it copies
};

/// One field's box of elements that this process takes from another, or from itself, or gives.
struct ExchangePart {
    PaddingRegion region;
    std::size_t field = 0;
    int rank = 0;
};

/// Boxes that an exchange takes and gives: field by field, in the order both sides agree on.
struct ExchangeParts {
    std::vector<ExchangePart> taken;
    std::vector<ExchangePart> given; ///< to other processes only
};

/// `schedules` has one for all fields or one for each.
ExchangeParts make_parts(ExchangeKind kind, const std::vector<PaddingExchangeSchedule>& schedules,
                         std::span<const Field> fields);

/// Shared memory into which this process packs elements for readers, of this node, that copy from
/// its memory: all elements of borrowed fields, which readers cannot map, and short rows of the
/// others.
///
/// A row of a few elements wastes most of every cache line that comes from another core; packed by its
/// owner, which has it at hand, it comes in full lines.
class SharedPack {
public:
    /// Of an exchange that packs nothing.
    SharedPack() = default;
    SharedPack(CommunicatorState& state, ExchangeKind kind, const ExchangeParts& parts,
               std::span<const Field> fields);

    /// Whether a box whose owner has these strides is packed, though it could be mapped.
    static bool has_short_rows(ExchangeKind kind, const ExchangePart& part,
                               std::int64_t element_size,
                               const std::array<std::int64_t, max_rank>& strides);
    /// Whether this process packs a part that it gives.
    bool packs(ExchangeKind kind, const ExchangePart& part, const Field& field) const {
        return m_borrowed[part.field] != 0 ||
               has_short_rows(kind, part, field.element_size, field.strides);
    }
    /// The pack of one reader; null if it has none, or if there is no shared memory.
    char* of(int reader) const;
    bool lacks_memory() const noexcept { return m_bytes > 0 && !m_memory; }
    const std::shared_ptr<void>& memory() const noexcept { return m_memory; }
    std::int64_t bytes() const noexcept { return m_memory ? m_bytes : 0; }

private:
    std::vector<char> m_borrowed; ///< by field
    std::shared_ptr<void> m_memory;
    std::int64_t m_bytes = 0;
    std::map<int, std::int64_t> m_offsets;
};

/// Appends a part to `bytes` bytes of a message or a SharedPack, which must begin at a cache line. Returns
/// the part's offset, which is aligned as the elements are in memory.
std::int64_t append_packed(std::int64_t& bytes, const ExchangePart& part,
                           std::int64_t element_size);
/// Where messages and packs begin.
constexpr std::int64_t at_line(std::int64_t offset) {
    return (offset + tuning::cache_line - 1) / tuning::cache_line * tuning::cache_line;
}

} // namespace distview::impl
