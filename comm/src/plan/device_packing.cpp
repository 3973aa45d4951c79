// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/device_packing.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

/// Some cells of a part; instead of themselves those that `local` fills them from.
void append_piece(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                  const Elements& to, const LocalBox& cells, const ExchangePart* local) {
    ExchangePart piece = part;
    Elements source{field.data, field.strides};
    Elements destination = to;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d) {
        piece.region.extents[d] = cells[d].size();
        destination.first += (cells[d].begin - part.region.begin[d]) * to.strides[d];
        const std::int64_t shift = local ? local->region.peer_begin[d] - local->region.begin[d] : 0;
        source.first += (cells[d].begin.value() + shift) * field.strides[d];
    }
    append_whole(pack, {box_of(piece, field.element_size, source, destination)});
}

} // namespace

void append_device_packing(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                           const Elements& to, const std::vector<ExchangePart>& taken,
                           int process) {
    std::vector<LocalBox> rest{positions(part)};
    for (const ExchangePart& local : taken) {
        if (local.region.peer != process || !meet(local, part)) continue;
        const LocalBox filled = intersection(positions(local), positions(part), part.rank);
        append_piece(pack, part, field, to, filled, &local);
        std::vector<LocalBox> left;
        for (const LocalBox& box : rest) append_difference(left, box, filled, part.rank);
        rest = std::move(left);
    }
    for (const LocalBox& box : rest) append_piece(pack, part, field, to, box, nullptr);
}

std::vector<std::size_t> combination_steps(const std::vector<ExchangePart>& taken) {
    std::vector<std::size_t> steps(taken.size(), 0);
    for (std::size_t i = 0; i < taken.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (meet(taken[j], taken[i])) steps[i] = std::max(steps[i], steps[j] + 1);
    return steps;
}

} // namespace distview::impl
