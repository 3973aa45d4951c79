// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/device_regions.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace distview::impl {

namespace {

/// The widest unit that divides all addresses, sizes and strides of a box.
std::int32_t widest_unit(const CopyBox& box) {
    constexpr std::uint64_t widest = 16;
    std::uint64_t bits = widest | reinterpret_cast<std::uintptr_t>(box.source) |
                         reinterpret_cast<std::uintptr_t>(box.destination) |
                         static_cast<std::uint64_t>(box.element_size);
    for (int d = 0; d < box.rank; ++d)
        bits |= static_cast<std::uint64_t>(box.axes[d].source_stride) |
                static_cast<std::uint64_t>(box.axes[d].destination_stride);
    return static_cast<std::int32_t>(bits & (~bits + 1)); // the lowest bit
}

DeviceRegion region(const CopyBox& box, std::int64_t unit) {
    DeviceRegion result;
    result.source = box.source;
    result.destination = box.destination;
    result.unit = static_cast<std::int32_t>(unit);
    result.rank = box.rank;
    std::copy(box.axes, box.axes + box.rank, result.axes);
    if (box.element_size > unit) result.axes[result.rank++] = {box.element_size / unit, unit, unit};
    return result;
}

/// Least bytes of memory that a device reads or writes at once.
constexpr std::int64_t sector = 32;

/// Number of axes of a region along which its destination is contiguous: the innermost one, or none.
int contiguous_axes(const DeviceRegion& region) {
    return region.rank > 0 && region.axes[region.rank - 1].destination_stride == region.unit ? 1
                                                                                             : 0;
}

/// Whether a region is written in runs shorter than a sector.
bool scatters(const DeviceRegion& region) {
    const std::int64_t units = contiguous_axes(region) ? region.axes[region.rank - 1].count : 1;
    return region.rank > 0 && units * region.unit < sector;
}

/// Shape of a region: regions of one shape differ only in their beginnings.
auto shape_of(const DeviceRegion& region) {
    std::vector<std::int64_t> shape{region.unit};
    for (int d = 0; d < region.rank; ++d) {
        const CopyBox::Axis& axis = region.axes[d];
        shape.insert(shape.end(), {axis.count, axis.source_stride, axis.destination_stride});
    }
    return shape;
}

/// Distance from one place to another, in any arrays.
std::int64_t distance(const char* from, const char* to) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                     reinterpret_cast<std::uintptr_t>(from));
}

/// Joins two regions of one shape: copies a run of the first and then a run of the second, in turn.
DeviceRegion pair_of(const DeviceRegion& first, const DeviceRegion& second) {
    DeviceRegion both = first;
    CopyBox::Axis* const run = both.axes + both.rank - contiguous_axes(both);
    std::copy_backward(run, both.axes + both.rank, both.axes + both.rank + 1);
    *run = {2, distance(first.source, second.source),
            distance(first.destination, second.destination)};
    ++both.rank;
    return both;
}

/// Joins scattered regions in pairs, such as the padding at the two ends of rows: adjacent threads
/// then write the end of a row and the beginning of the next one. These share a sector, which is then
/// transferred once instead of twice. bench_device: 0.7 of the time of an exchange of 512^3 elements.
std::vector<DeviceRegion> in_pairs(const std::vector<DeviceRegion>& regions) {
    using Shape = std::pair<std::vector<std::int64_t>, std::uintptr_t>;
    std::vector<std::pair<Shape, DeviceRegion>> scattered;
    std::vector<DeviceRegion> result;
    for (const DeviceRegion& each : regions) {
        if (scatters(each) && each.rank <= max_rank)
            scattered.emplace_back(
                Shape(shape_of(each), reinterpret_cast<std::uintptr_t>(each.destination)), each);
        else
            result.push_back(each);
    }
    // Among regions of one shape, the nearest follow each other.
    std::stable_sort(scattered.begin(), scattered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < scattered.size(); ++k) {
        const bool has_twin =
            k + 1 < scattered.size() && scattered[k].first.first == scattered[k + 1].first.first;
        const DeviceRegion& each = scattered[k].second;
        result.push_back(has_twin ? pair_of(each, scattered[++k].second) : each);
    }
    return result;
}

DeviceTable<DeviceRegion> table_of(DeviceLayer& layer, std::vector<DeviceRegion> regions) {
    static_assert(std::is_trivially_copyable_v<DeviceRegion>);
    regions = in_pairs(regions);
    DeviceTable<DeviceRegion> table{.count = static_cast<int>(regions.size())};
    for (DeviceRegion& each : regions) {
        each.first = table.units;
        std::int64_t units = 1;
        for (int d = 0; d < each.rank; ++d) units *= each.axes[d].count;
        table.units += units;
    }
    if (table.units == 0) return table;
    const std::size_t bytes = regions.size() * sizeof(DeviceRegion);
    table.memory = layer.allocate_device(bytes);
    layer.upload(table.memory.get(), reinterpret_cast<const char*>(regions.data()), bytes);
    return table;
}

} // namespace

DeviceTable<DeviceRegion> byte_regions(DeviceLayer& layer, const std::vector<CopyBox>& boxes) {
    std::vector<DeviceRegion> regions;
    for (const CopyBox& box : boxes) regions.push_back(region(box, widest_unit(box)));
    return table_of(layer, std::move(regions));
}

DeviceTable<DeviceRegion> element_regions(DeviceLayer& layer, const std::vector<CopyBox>& boxes) {
    std::vector<DeviceRegion> regions;
    for (const CopyBox& box : boxes) regions.push_back(region(box, box.element_size));
    return table_of(layer, std::move(regions));
}

} // namespace distview::impl
