// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_copies.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
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

/// Each box goes into the first kernel behind all those of earlier boxes that it overlaps: every element
/// is combined in the same order as with one kernel a box.
void give_combinations(ExchangeCopies& copies, const std::vector<ExchangePart>& taken,
                       DeviceLayer& layer) {
    std::vector<std::size_t> steps(taken.size(), 0);
    std::map<std::pair<std::size_t, std::size_t>, std::vector<CopyBox>> by_step;
    for (std::size_t i = 0; i < copies.combinations.size(); ++i) {
        const ExchangePart& part = taken[i];
        for (std::size_t j = 0; j < i; ++j)
            if (meet(taken[j], part)) steps[i] = std::max(steps[i], steps[j] + 1);
        const ExchangeCopies::Combination& boxes = copies.combinations[i];
        std::vector<CopyBox>& kernel = by_step[{part.field, steps[i]}];
        kernel.insert(kernel.end(), copies.combined.begin() + boxes.begin,
                      copies.combined.begin() + boxes.end);
    }
    for (const auto& [key, boxes] : by_step)
        copies.on_device.combined.push_back({key.first, DeviceRegions::of_elements(layer, boxes)});
}

} // namespace

void append_packing(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                    const Elements& to, const std::vector<ExchangePart>& taken, int process) {
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

void give_to_device(ExchangeCopies& copies, const std::vector<ExchangePart>& taken,
                    DeviceLayer& layer) {
    copies.pack.insert(copies.pack.end(), copies.local.begin(), copies.local.end());
    copies.on_device.pack = DeviceRegions(layer, copies.pack);
    copies.on_device.unpack = DeviceRegions(layer, copies.incoming);
    give_combinations(copies, taken, layer);
    copies.pack.clear();
    copies.local.clear();
    copies.incoming.clear();
    copies.combined.clear();
    copies.combinations.clear();
}

} // namespace distview::impl
