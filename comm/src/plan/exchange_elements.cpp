// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/exchange_elements.hpp"

#include <algorithm>
#include <limits>
#include <utility>

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

namespace {

/// `box` without `hole` as boxes that do not overlap.
void append_difference(std::vector<LocalBox>& boxes, LocalBox box, const LocalBox& hole, int rank) {
    const LocalBox common = intersection(box, hole, rank);
    if (is_empty(common, rank)) {
        boxes.push_back(box);
        return;
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        LocalBox below = box;
        below[d].end = common[d].begin;
        if (!below[d].empty()) boxes.push_back(below);
        LocalBox above = box;
        above[d].begin = common[d].end;
        if (!above[d].empty()) boxes.push_back(above);
        box[d] = common[d];
    }
}

/// The box of some of a part's positions.
ExchangePart piece_of(const ExchangePart& part, const LocalBox& cells) {
    ExchangePart piece = part;
    piece.region.elements = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d) {
        piece.region.begin[d] = cells[d].begin;
        piece.region.peer_begin[d] =
            part.region.peer_begin[d] + (cells[d].begin - part.region.begin[d]);
        piece.region.extents[d] = cells[d].size();
        piece.region.elements *= cells[d].size();
    }
    return piece;
}

/// Some cells of a part; instead of themselves those that `local` fills them from.
void append_piece(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                  const Elements& to, const LocalBox& cells, const ExchangePart* local) {
    const ExchangePart piece = piece_of(local ? *local : part, cells);
    const Elements from = elements(field.data, field.strides,
                                   local ? piece.region.peer_begin : piece.region.begin, part.rank);
    Elements place = to;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        place.first += (cells[d].begin - part.region.begin[d]) * to.strides[d];
    append_whole(pack, {box_of(piece, field.element_size, from, place)});
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
