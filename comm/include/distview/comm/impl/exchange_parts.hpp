// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/communicator_state.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace distview::impl {

/// What a padding exchange does with its elements.
enum class ExchangeKind {
    fill,   ///< owned elements are copied into others' padding
    combine ///< the reverse: padding is combined with the elements that it copies
};

/// One field's box of elements that this process takes from another, or from itself, or gives.
struct ExchangePart {
    PaddingRegion region;
    std::size_t field = 0;
    int rank = 0;
    /// Whether it is a message of its own, if its peer does not read in place; see MessageRules::is_alone().
    bool alone = false;
};

/// What an exchange takes and gives: field by field, box by box, in the order both sides agree on.
struct ExchangeParts {
    std::vector<ExchangePart> taken;
    std::vector<ExchangePart> given; ///< to other processes only
};

/// `schedules` has one for all fields or one for each. No part is alone yet.
ExchangeParts make_parts(ExchangeKind kind, const std::vector<PaddingExchangeSchedule>& schedules,
                         std::span<const Field> fields);

/// Where this process packs the elements of short rows for readers that copy from its memory.
///
/// A row of a few elements wastes most of every cache line that comes from another core; packed by their
/// owner, who has them at hand, they come in full lines.
class SharedPack {
public:
    /// Of an exchange that packs nothing.
    SharedPack() = default;
    SharedPack(CommunicatorState& state, ExchangeKind kind, const ExchangeParts& parts,
               std::span<const Field> fields);

    /// Whether a box whose owner has these strides is packed.
    static bool is_packed(ExchangeKind kind, const ExchangePart& part, std::int64_t element_size,
                          const std::array<std::int64_t, max_rank>& strides);
    /// The pack of one reader; null if it has none, or if there is no shared memory.
    char* of(int reader) const;
    bool lacks_memory() const noexcept { return m_bytes > 0 && !m_memory; }

private:
    std::shared_ptr<void> m_memory;
    std::int64_t m_bytes = 0;
    std::map<int, std::int64_t> m_offsets;
};

/// Bytes of a part when it is packed, in a message or in a SharedPack: parts begin at multiples of 16, so
/// that no element straddles cache lines needlessly.
std::int64_t packed_bytes(const ExchangePart& part, std::int64_t element_size);
/// Where messages and packs begin.
constexpr std::int64_t at_line(std::int64_t offset) {
    constexpr std::int64_t line = 64;
    return (offset + line - 1) / line * line;
}

} // namespace distview::impl
