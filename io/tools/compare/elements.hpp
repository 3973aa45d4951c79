// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace compare {

/// The condition under which two elements count as the same.
///
/// Numbers are the same if they are equal (0 and -0 are), if both are NaN, or if their difference is at most
/// `absolute`, or at most `relative` times the larger of the two. If a part of a complex number is infinite or NaN,
/// real and imaginary parts are compared separately. Bytes that are not numbers are the same if they are equal.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
    bool bits = false; ///< whether numbers, too, are the same only if their bits are equal
};

/// The differences found in some pairs of elements.
struct Differences {
    std::int64_t elements = 0;     ///< pairs compared
    std::int64_t count = 0;        ///< pairs that are not the same
    std::int64_t not_a_number = 0; ///< of these, pairs with NaN on one side
    double absolute = 0;           ///< the largest |a - b| of all pairs of numbers
    double relative = 0;           ///< the largest |a - b| / max(|a|, |b|)
    std::int64_t first = -1;       ///< the first pair that is not the same; -1: none

    /// Adds the differences found in other pairs; `first` does not change.
    void add(const Differences& others);
};

/// Compares `count` consecutive elements.
Differences compare_elements(const distview::ElementType& type, const std::byte* a,
                             const std::byte* b, std::int64_t count, const Tolerance& tolerance);

/// The same for one pair of float64.
bool are_same(double a, double b, const Tolerance& tolerance);

/// The text of an element, with all of its digits.
std::string element_text(const distview::ElementType& type, const std::byte* element);

/// Whether elements are numbers, which have differences, and not uninterpreted bytes.
bool is_number(const distview::ElementType& type);

} // namespace compare
