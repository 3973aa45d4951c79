// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/exchange_parts.hpp>

#include <distview/comm/impl/tuning.hpp>

#include <algorithm>
#include <map>

namespace distview::impl {

std::int64_t append_packed(std::int64_t& bytes, const ExchangePart& part,
                           std::int64_t element_size) {
    const std::int64_t alignment = std::min(tuning::cache_line, element_size & -element_size);
    const std::int64_t offset = (bytes + alignment - 1) / alignment * alignment;
    bytes = offset + part.region.elements * element_size;
    return offset;
}

ExchangeParts make_parts(ExchangeKind kind, const std::vector<PaddingExchangeSchedule>& schedules,
                         std::span<const Field> fields, bool for_device) {
    ExchangeParts parts;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const PaddingExchangeSchedule& schedule = schedules[schedules.size() == 1 ? 0 : f];
        const int rank = schedule.layout().rank();
        const auto take = [&](const PaddingRegion& region) {
            parts.taken.push_back({region, f, rank});
        };
        const auto give = [&](const PaddingRegion& region) {
            if (region.peer != schedule.process()) parts.given.push_back({region, f, rank});
        };
        if (kind == ExchangeKind::fill) {
            schedule.for_each_local(take);
            schedule.for_each_received(take);
            schedule.for_each_sent(give);
            if (for_device)
                schedule.for_each_outgoing([&](const PaddingRegion& region) {
                    if (region.peer != schedule.process()) parts.owned.push_back({region, f, rank});
                });
        } else {
            schedule.for_each_outgoing(take);
            schedule.for_each_incoming(give);
        }
    }
    return parts;
}

SharedPack::SharedPack(CommunicatorState& state, ExchangeKind kind, const ExchangeParts& parts,
                       std::span<const Field> fields)
    : m_borrowed(borrowed_fields(*state.arena(), fields)) {
    std::map<int, std::int64_t> bytes;
    for (const ExchangePart& part : parts.given) {
        const Field& field = fields[part.field];
        if (packs(kind, part, field) && state.calls().is_near(part.region.peer))
            append_packed(bytes[part.region.peer], part, field.element_size);
    }
    static_cast<ReaderPacks&>(*this) = ReaderPacks(state.arena().get(), bytes);
}

bool SharedPack::has_short_rows(ExchangeKind kind, const ExchangePart& part,
                                std::int64_t element_size,
                                const std::array<std::int64_t, max_rank>& strides) {
    if (kind != ExchangeKind::fill) return false;
    // A row extends over the innermost axes as long as they have no gaps.
    std::int64_t row = element_size;
    for (bool longer = true; longer;) {
        longer = false;
        for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank) && !longer; ++d) {
            if (part.region.extents[d] == 1 || strides[d] != row) continue;
            row *= part.region.extents[d];
            longer = true;
        }
    }
    return row < part.region.elements * element_size && row < tuning::long_row_bytes;
}

} // namespace distview::impl
