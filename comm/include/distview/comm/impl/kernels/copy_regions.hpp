// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_regions.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/core/kokkos_ext.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace distview::impl {

/// Calls work(region, source, destination) for the unit with a given number, which has the type
/// `Number`, because devices divide 32-bit numbers much faster.
template <class Number, class Work>
struct AtUnit {
    const DeviceRegion* regions;
    int count;
    Work work;

    KOKKOS_INLINE_FUNCTION void operator()(Number unit) const {
        const DeviceRegion& region = entry_of(regions, count, static_cast<std::int64_t>(unit));
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
};

/// 16 bytes, loaded and stored at once.
struct alignas(16) SixteenBytes {
    std::uint64_t low;
    std::uint64_t high;
};

template <class Unit>
KOKKOS_INLINE_FUNCTION void copy_as(const char* from, char* to) {
    *reinterpret_cast<Unit*>(to) = *reinterpret_cast<const Unit*>(from);
}

struct CopyUnit {
    KOKKOS_INLINE_FUNCTION void operator()(const DeviceRegion& region, const char* from,
                                           char* to) const {
        switch (region.unit) {
        case 16: return copy_as<SixteenBytes>(from, to);
        case 8: return copy_as<std::uint64_t>(from, to);
        case 4: return copy_as<std::uint32_t>(from, to);
        case 2: return copy_as<std::uint16_t>(from, to);
        default: return copy_as<std::uint8_t>(from, to);
        }
    }
};

/// Replaces an element by op(element, source element).
template <class T, class Op>
struct CombineUnit {
    Op op;

    KOKKOS_INLINE_FUNCTION void operator()(const DeviceRegion&, const char* from, char* to) const {
        T& here = *reinterpret_cast<T*>(to);
        here = op(here, *reinterpret_cast<const T*>(from));
    }
};

/// Runs `work` on all units of a table in one kernel; in none if it is empty. No two units may write the same place.
template <ExecutionSpace Exec, class Work>
void run_regions(const Exec& exec, const std::string& label,
                 const DeviceTable<DeviceRegion>& regions, const Work& work) {
    const auto run = [&](auto units) {
        using Number = decltype(units);
        run_boxes(exec, label, Number{0}, units,
                  AtUnit<Number, Work>{regions.data(), regions.count, work});
    };
    if (fits_in_32_bits(regions.units))
        run(static_cast<std::int32_t>(regions.units));
    else
        run(regions.units);
}

} // namespace distview::impl
