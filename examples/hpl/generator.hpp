// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace hpl {

/// Some steps of HPL's random numbers at once: X_(k+steps) = factor * X_k + summand, mod 2^64.
///
/// One step is X <- 6364136223846793005 * X + 1. Two jumps after each other are a jump, so that any number
/// of steps takes 64 of them at most (binary powering): every process makes its own elements.
class Jump {
public:
    /// No step.
    constexpr Jump() noexcept = default;
    constexpr explicit Jump(std::uint64_t steps) noexcept {
        Jump power(6364136223846793005U, 1U);
        for (; steps != 0; steps /= 2) {
            if (steps % 2 != 0) *this = power.after(*this);
            power = power.after(power);
        }
    }

    /// The state so many steps after `state`.
    constexpr std::uint64_t operator()(std::uint64_t state) const noexcept {
        return m_factor * state + m_summand;
    }

private:
    constexpr Jump(std::uint64_t factor, std::uint64_t summand) noexcept
        : m_factor(factor), m_summand(summand) {}
    constexpr Jump after(const Jump& first) const noexcept {
        return {m_factor * first.m_factor, (*this)(first.m_summand)};
    }

    std::uint64_t m_factor = 1;
    std::uint64_t m_summand = 0;
};

/// The matrix element of a state, in [-0.5, 0.5]: the state's low half and its high half are added first, which rounds.
constexpr double value_of(std::uint64_t state) noexcept {
    const auto low = static_cast<double>(state & 0xffffffffU);
    const auto high = static_cast<double>(state >> 32);
    return 0.5 - (low * 0x1p-32 + high) * 0x1p-32;
}

} // namespace hpl
