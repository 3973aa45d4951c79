// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/device_regions.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace distview::impl {

namespace {

/// The widest unit in which everything about a box is a whole number of units.
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

} // namespace

DeviceRegions::DeviceRegions(DeviceLayer& layer, std::vector<DeviceRegion> regions)
    : m_count(static_cast<int>(regions.size())) {
    static_assert(std::is_trivially_copyable_v<DeviceRegion>);
    for (DeviceRegion& each : regions) {
        each.first = m_units;
        std::int64_t units = 1;
        for (int d = 0; d < each.rank; ++d) units *= each.axes[d].count;
        m_units += units;
    }
    if (m_units == 0) return;
    const std::size_t bytes = regions.size() * sizeof(DeviceRegion);
    m_memory = layer.allocate_device(bytes);
    layer.upload(m_memory.get(), reinterpret_cast<const char*>(regions.data()), bytes);
}

DeviceRegions::DeviceRegions(DeviceLayer& layer, const std::vector<CopyBox>& boxes)
    : DeviceRegions(layer, [&] {
          std::vector<DeviceRegion> regions;
          for (const CopyBox& box : boxes) regions.push_back(region(box, widest_unit(box)));
          return regions;
      }()) {}

DeviceRegions DeviceRegions::of_elements(DeviceLayer& layer, const std::vector<CopyBox>& boxes) {
    std::vector<DeviceRegion> regions;
    for (const CopyBox& box : boxes) regions.push_back(region(box, box.element_size));
    return {layer, std::move(regions)};
}

} // namespace distview::impl
