// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "summands.hpp"

#include <distview/comm/combine.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace distview::testing {

/// An operation defined by a program, for elements of any type: each order of the values gives a different result.
struct ShiftIn {
    template <class T>
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(3 * static_cast<std::uint64_t>(here) +
                                  static_cast<std::uint64_t>(incoming));
        } else if constexpr (std::is_floating_point_v<T>) {
            return here / 2 + incoming; // halving is exact, so fused operations do not differ
        } else {
            T result = here;
            auto* const to = reinterpret_cast<unsigned char*>(&result);
            const auto* const from = reinterpret_cast<const unsigned char*>(&incoming);
            for (std::size_t i = 0; i < sizeof(T); ++i)
                to[i] = static_cast<unsigned char>(3 * to[i] + from[i]);
            return result;
        }
    }
};

template <class T>
inline constexpr bool has_sums =
    std::is_arithmetic_v<T> || std::is_same_v<T, Kokkos::complex<double>>;

/// Calls visit(op, name) with one of the operations that elements of all these types support; `choice` is any number.
template <class... Ts, class Visit>
void with_operation(std::uint64_t choice, Visit&& visit) {
    constexpr std::uint64_t count =
        (std::is_arithmetic_v<Ts> && ...) ? 4 : (has_sums<Ts> && ...) ? 2 : 1;
    switch (choice % count) {
    case 1:
        if constexpr (count > 1) visit(Sum{}, "Sum");
        break;
    case 2:
        if constexpr (count > 2) visit(Minimum{}, "Minimum");
        break;
    case 3:
        if constexpr (count > 2) visit(Maximum{}, "Maximum");
        break;
    default: visit(ShiftIn{}, "ShiftIn");
    }
}

} // namespace distview::testing
