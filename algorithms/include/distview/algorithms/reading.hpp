// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>

#include <tuple>

namespace distview {

/// Lists the arrays that a kernel of for_each() reads, and the arrays that it writes besides the array passed to
/// for_each(). Created by reading(). Holds references: use it within one statement.
///
/// Collective: no (local)
template <class Reads, class Writes = std::tuple<>>
struct Reading {
    Reads reads;
    Writes writes{};

    /// Adds arrays that the kernel also writes, at the indices of the same cells. Their padding is not valid
    /// afterwards.
    template <DistViewLike... Arrays>
    auto writing(const Arrays&... arrays) const {
        return Reading<Reads, std::tuple<const Arrays&...>>{reads, {arrays...}};
    }
};

/// Names the arrays that a kernel of for_each() reads, padding included, so that the checking mode can test whether
/// their padding is valid: reading(u, k), or reading(u, k).writing(v).
///
/// Collective: no (local)
template <DistViewLike... Arrays>
Reading<std::tuple<const Arrays&...>> reading(const Arrays&... arrays) {
    return {{arrays...}};
}

} // namespace distview
