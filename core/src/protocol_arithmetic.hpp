// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace distview::protocol::impl {

/// The sum of two numbers >= 0, if it fits.
constexpr std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) noexcept {
    if (a > std::numeric_limits<std::int64_t>::max() - b) return std::nullopt;
    return a + b;
}

/// The product of two numbers >= 0, if it fits.
constexpr std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) noexcept {
    if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) return std::nullopt;
    return a * b;
}

} // namespace distview::protocol::impl
