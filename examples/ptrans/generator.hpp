// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace ptrans {

/// Some steps of HPCC's random numbers at once: X_(k+steps) = factor * X_k + summand, mod 2^31.
///
/// One step is X <- 1103515245 * X + 12345. Two jumps after each other are a jump, so that any number
/// of steps takes 31 of them at most (binary powering): every process makes its own elements.
class Jump {
public:
    /// No step.
    constexpr Jump() noexcept = default;
    /// `steps` >= 0 steps.
    constexpr explicit Jump(std::uint64_t steps) noexcept {
        Jump power(1103515245U, 12345U);
        for (; steps != 0; steps /= 2) {
            if (steps % 2 != 0) *this = power.after(*this);
            power = power.after(power);
        }
    }

    constexpr std::uint32_t factor() const noexcept { return m_factor; }
    constexpr std::uint32_t summand() const noexcept { return m_summand; }
    /// The state so many steps after `state`.
    constexpr std::uint32_t operator()(std::uint32_t state) const noexcept {
        return (m_factor * state + m_summand) &
               mask; // mod 2^32 on the way, of which 2^31 is a divisor
    }

private:
    static constexpr std::uint32_t mask = 0x7fffffffU;

    constexpr Jump(std::uint32_t factor, std::uint32_t summand) noexcept
        : m_factor(factor), m_summand(summand) {}
    constexpr Jump after(const Jump& first) const noexcept {
        return {(m_factor * first.m_factor) & mask, (*this)(first.m_summand)};
    }

    std::uint32_t m_factor = 1;
    std::uint32_t m_summand = 0;
};

/// The matrix element of a state: a multiple of 2^-30 in (-1, 1].
constexpr double value_of(std::uint32_t state) noexcept {
    return 1.0 - static_cast<double>(state) * 0x1p-30;
}

/// Element number `number`, from 0 on, of the sequence of a seed: its state is X_(number + 1).
constexpr double hpcc_value(std::uint32_t seed, std::uint64_t number) noexcept {
    return value_of(Jump(number + 1)(seed));
}

} // namespace ptrans
