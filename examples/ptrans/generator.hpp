// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random_jump.hpp"

#include <cstdint>

namespace ptrans {

/// Steps of HPCC's random numbers: X <- 1103515245 * X + 12345, mod 2^31.
using Jump = program::RandomJump<std::uint32_t, 1103515245U, 12345U, 0x7fffffffU>;

/// The matrix element of a state: a multiple of 2^-30 in (-1, 1].
constexpr double value_of(std::uint32_t state) noexcept {
    return 1.0 - static_cast<double>(state) * 0x1p-30;
}

/// Element `number`, counted from 0, of a seed's sequence: its state is X_(number + 1).
constexpr double hpcc_value(std::uint32_t seed, std::uint64_t number) noexcept {
    return value_of(Jump(number + 1)(seed));
}

} // namespace ptrans
