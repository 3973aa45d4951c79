// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

namespace program {

/// Several steps of a linear congruential generator at once: X_(k+steps) = factor * X_k + summand, in `Mask`'s bits.
///
/// One step is X <- Factor * X + Summand. Two successive jumps are one jump, so any number of steps needs at most 64 of
/// them (binary powering): every process can generate its own elements.
template <std::unsigned_integral State, State Factor, State Summand, State Mask = State(~State(0))>
class RandomJump {
public:
    /// A jump of no steps.
    constexpr RandomJump() noexcept = default;
    constexpr explicit RandomJump(std::uint64_t steps) noexcept {
        RandomJump power(Factor, Summand);
        for (; steps != 0; steps /= 2) {
            if (steps % 2 != 0) *this = power.after(*this);
            power = power.after(power);
        }
    }

    constexpr State factor() const noexcept { return m_factor; }
    constexpr State summand() const noexcept { return m_summand; }
    /// The state that follows `state` after the steps of this jump.
    constexpr State operator()(State state) const noexcept {
        return (m_factor * state + m_summand) & Mask;
    }

private:
    constexpr RandomJump(State factor, State summand) noexcept
        : m_factor(factor), m_summand(summand) {}
    constexpr RandomJump after(const RandomJump& first) const noexcept {
        return {static_cast<State>((m_factor * first.m_factor) & Mask), (*this)(first.m_summand)};
    }

    State m_factor = 1;
    State m_summand = 0;
};

} // namespace program
