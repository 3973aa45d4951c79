// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/exchange_elements.hpp"

#include <limits>

namespace distview::impl {

Elements elements(char* data, const std::array<std::int64_t, max_rank>& strides,
                  const std::array<LocalIndex, max_rank>& begin, int rank) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) data += begin[d] * strides[d];
    return {data, strides};
}

Elements packed(char* first, const ExchangePart& part, std::int64_t element_size) {
    Elements result{first, {}};
    std::int64_t stride = element_size;
    for (int d = part.rank - 1; d >= 0; --d) {
        result.strides[static_cast<std::size_t>(d)] = stride;
        stride *= part.region.extents[static_cast<std::size_t>(d)];
    }
    return result;
}

CopyBox box_of(const ExchangePart& part, std::int64_t element_size, const Elements& from,
               const Elements& to) {
    CopyBox box;
    box.source = from.first;
    box.destination = to.first;
    box.element_size = element_size;
    box.rank = part.rank;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        box.axes[d] = {part.region.extents[d], from.strides[d], to.strides[d]};
    return box;
}

LocalBox positions(const ExchangePart& part) {
    LocalBox box{};
    box.fill({LocalIndex(0), LocalIndex(std::numeric_limits<std::int64_t>::max())});
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        box[d] = {part.region.begin[d], part.region.begin[d] + part.region.extents[d]};
    return box;
}

bool meet(const ExchangePart& a, const ExchangePart& b) {
    return a.field == b.field &&
           !is_empty(intersection(positions(a), positions(b), a.rank), a.rank);
}

} // namespace distview::impl
