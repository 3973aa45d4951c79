// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>

#include <tuple>

namespace distview {

/// The arrays that a kernel of for_each() reads, and those that it writes besides the one whose cells it computes; made
/// by reading(). Refers to them: for use within one statement.
///
/// Collective: no (local)
template <class Reads, class Writes = std::tuple<>>
struct Reading {
    Reads reads;
    Writes writes{};

    /// The same of a kernel that also writes these, at the indices of the same cells: their padding is not valid
    /// afterwards.
    template <DistViewLike... Arrays>
    auto writing(const Arrays&... arrays) const {
        return Reading<Reads, std::tuple<const Arrays&...>>{reads, {arrays...}};
    }
};

/// Names the arrays that a kernel of for_each() reads, padding included, so that the checking mode finds out whether
/// that is valid: reading(u, k), or reading(u, k).writing(v).
///
/// Collective: no (local)
template <DistViewLike... Arrays>
Reading<std::tuple<const Arrays&...>> reading(const Arrays&... arrays) {
    return {{arrays...}};
}

} // namespace distview
