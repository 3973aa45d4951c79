// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field_fixture.hpp"

#include <cstdint>
#include <type_traits>

namespace distview::testing {

/// Values whose sums are rounded, but neither overflow nor become NaN.
template <class T>
T summand(int process, const Position& position, std::uint64_t salt) {
    const auto random =
        value_of<std::uint64_t>(position, salt * 64 + static_cast<unsigned>(process));
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t>)
        return static_cast<T>(random >> (66 - 6 * sizeof(T)));
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(random);
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
    else if constexpr (std::is_same_v<T, Kokkos::complex<double>>)
        return {summand<double>(process, position, salt),
                summand<double>(process, position, salt + 1)};
    else
        return value_of<T>(position, salt * 64 + static_cast<unsigned>(process));
}

} // namespace distview::testing
