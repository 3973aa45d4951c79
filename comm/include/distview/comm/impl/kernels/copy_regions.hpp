// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_regions.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace distview::impl {

/// The region that a unit is in.
KOKKOS_INLINE_FUNCTION const DeviceRegion& region_of(const DeviceRegion* regions, int count,
                                                     std::int64_t unit) {
    int low = 0;
    int high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (regions[middle].first <= unit)
            low = middle;
        else
            high = middle;
    }
    return regions[low];
}

/// Calls work(region, source, destination) for a unit. Numbers of type `Number` are divided, which devices
/// do much faster with 32 bits.
template <class Number, class Work>
KOKKOS_INLINE_FUNCTION void at_unit(const DeviceRegion* regions, int count, Number unit,
                                    const Work& work) {
    const DeviceRegion& region = region_of(regions, count, static_cast<std::int64_t>(unit));
    auto rest = static_cast<Number>(unit - static_cast<Number>(region.first));
    const char* from = region.source;
    char* to = region.destination;
    for (int d = region.rank - 1; d >= 0; --d) {
        const CopyBox::Axis& axis = region.axes[d];
        const auto length = static_cast<Number>(axis.count);
        const auto outer = static_cast<Number>(rest / length);
        const auto index = static_cast<std::int64_t>(rest - outer * length);
        from += index * axis.source_stride;
        to += index * axis.destination_stride;
        rest = outer;
    }
    work(region, from, to);
}

/// 16 bytes that are loaded and stored at once.
struct alignas(16) SixteenBytes {
    std::uint64_t low;
    std::uint64_t high;
};

template <class Unit>
KOKKOS_INLINE_FUNCTION void copy_as(const char* from, char* to) {
    *reinterpret_cast<Unit*>(to) = *reinterpret_cast<const Unit*>(from);
}

/// Copies the unit of a number.
template <class Number>
struct CopyUnit {
    const DeviceRegion* regions;
    int count;

    KOKKOS_INLINE_FUNCTION void operator()(Number unit) const {
        at_unit(regions, count, unit, [](const DeviceRegion& region, const char* from, char* to) {
            switch (region.unit) {
            case 16: return copy_as<SixteenBytes>(from, to);
            case 8: return copy_as<std::uint64_t>(from, to);
            case 4: return copy_as<std::uint32_t>(from, to);
            case 2: return copy_as<std::uint16_t>(from, to);
            default: return copy_as<std::uint8_t>(from, to);
            }
        });
    }
};

/// Replaces the element of a number by op(itself, the source's).
template <class Number, class T, class Op>
struct CombineUnit {
    const DeviceRegion* regions;
    int count;
    Op op;

    KOKKOS_INLINE_FUNCTION void operator()(Number unit) const {
        const Op& combine = op;
        at_unit(regions, count, unit, [&combine](const DeviceRegion&, const char* from, char* to) {
            T& here = *reinterpret_cast<T*>(to);
            here = combine(here, *reinterpret_cast<const T*>(from));
        });
    }
};

constexpr bool fits_in_32_bits(std::int64_t units) {
    // Kokkos rounds up to whole blocks of threads.
    return units < std::numeric_limits<std::int32_t>::max() - 65536;
}

/// Copies all regions of a table in one kernel; none if it is empty.
template <ExecutionSpace Exec>
void copy_regions(const Exec& exec, const std::string& label, const DeviceRegions& regions) {
    if (regions.empty()) return;
    if (fits_in_32_bits(regions.units()))
        run_boxes(exec, label, 0, static_cast<std::int32_t>(regions.units()),
                  CopyUnit<std::int32_t>{regions.data(), regions.count()});
    else
        run_boxes(exec, label, std::int64_t{0}, regions.units(),
                  CopyUnit<std::int64_t>{regions.data(), regions.count()});
}

/// Combines the elements of all regions of a table, none of which may overlap, in one kernel.
template <class T, ExecutionSpace Exec, class Op>
void combine_regions(const Exec& exec, const std::string& label, const DeviceRegions& regions,
                     const Op& op) {
    if (regions.empty()) return;
    if (fits_in_32_bits(regions.units()))
        run_boxes(exec, label, 0, static_cast<std::int32_t>(regions.units()),
                  CombineUnit<std::int32_t, T, Op>{regions.data(), regions.count(), op});
    else
        run_boxes(exec, label, std::int64_t{0}, regions.units(),
                  CombineUnit<std::int64_t, T, Op>{regions.data(), regions.count(), op});
}

} // namespace distview::impl
