// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace program {

__extension__ using Int128 = __int128;

/// A sum of float64 numbers in 128-bit integers. It is the same in any order and on any ranks and threads,
/// and exact if all numbers are integers up to 2^62 (a float64 sum is not exact beyond 2^53).
///
/// Fractions are kept to 2^-40 per number. Weights are small integers: |number * weight| < 2^86 prevents
/// 2^40 numbers from overflowing.
class ExactSum {
public:
    void add(double number, std::int64_t weight = 1) {
        const double whole = std::floor(number);
        if (!(std::abs(whole) <= 0x1p62)) { // also NaN
            m_valid = false;
            return;
        }
        m_whole += static_cast<Int128>(static_cast<std::int64_t>(whole)) * weight;
        const double fraction = number - whole;
        if (fraction != 0)
            m_fraction += static_cast<Int128>(std::llround(fraction * 0x1p40)) * weight;
    }
    ExactSum& operator+=(const ExactSum& other) {
        m_whole += other.m_whole;
        m_fraction += other.m_fraction;
        m_valid = m_valid && other.m_valid;
        return *this;
    }
    friend bool operator==(const ExactSum&, const ExactSum&) = default;

    /// False if a number was not finite or too large: then the sum is undefined.
    bool valid() const noexcept { return m_valid; }
    bool is_integer() const noexcept { return m_valid && m_fraction % one == 0; }
    /// The nearest integer; of two equally near ones the upper.
    Int128 rounded() const noexcept;

private:
    static constexpr Int128 one = Int128(1) << 40;

    Int128 m_whole = 0;
    Int128 m_fraction = 0; ///< in units of 2^-40, not reduced
    bool m_valid = true;
};

/// The sum over all ranks, on every rank.
///
/// Collective: over comm
ExactSum total(const distview::Communicator& comm, const ExactSum& mine);

std::string to_string(Int128 value);
/// The nearest integer, for people; states if the sum is undefined.
std::string to_string(const ExactSum& sum);

/// An integer of any length as a JSON value, to be written with dump(); null if the sum is undefined.
nlohmann::ordered_json json_integer(const ExactSum& sum);
/// The text of a JSON document that may hold such integers.
std::string dump(const nlohmann::ordered_json& json);

} // namespace program
