// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random_jump.hpp"

#include <cstdint>

namespace hpl {

/// Steps of HPL's random numbers: X <- 6364136223846793005 * X + 1, mod 2^64.
using Jump = program::RandomJump<std::uint64_t, 6364136223846793005U, 1U>;

/// The matrix element of a state, in [-0.5, 0.5]: adds the state's low half and high half first, which rounds.
constexpr double value_of(std::uint64_t state) noexcept {
    const auto low = static_cast<double>(state & 0xffffffffU);
    const auto high = static_cast<double>(state >> 32);
    return 0.5 - (low * 0x1p-32 + high) * 0x1p-32;
}

} // namespace hpl
