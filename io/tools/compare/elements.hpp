// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace compare {

/// When two elements count as the same.
///
/// Numbers are the same if they are equal (0 and -0 are), if both are NaN, or if their difference is at most `absolute`,
/// or at most `relative` times the larger of the two. Where a part of a complex number is infinite or NaN, parts are
/// compared with each other. Bytes that are no numbers are the same if they are equal.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
    bool bits = false; ///< numbers too are the same only if their bits are equal
};

/// What was found in some pairs of elements.
struct Differences {
    std::int64_t elements = 0;     ///< looked at
    std::int64_t count = 0;        ///< not the same
    std::int64_t not_a_number = 0; ///< of these those with NaN on one side
    double absolute = 0;           ///< the largest |a - b|, of all pairs of numbers
    double relative = 0;           ///< the largest |a - b| / max(|a|, |b|)
    std::int64_t first = -1;       ///< the first pair that is not the same; -1: none

    /// Adds what was found in others, `first` left as it is.
    void add(const Differences& others);
};

/// Compares `count` elements that lie one after the other.
Differences compare_elements(const distview::ElementType& type, const std::byte* a,
                             const std::byte* b, std::int64_t count, const Tolerance& tolerance);

/// The same for one pair of float64.
bool are_same(double a, double b, const Tolerance& tolerance);

/// An element with all of its digits.
std::string element_text(const distview::ElementType& type, const std::byte* element);

/// Whether elements have differences, or are bytes that nobody here interprets.
bool is_number(const distview::ElementType& type);

} // namespace compare
