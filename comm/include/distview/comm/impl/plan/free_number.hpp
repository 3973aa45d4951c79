// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

namespace distview::impl {

/// The lowest number that no binding has: there are few at a time, so that numbers fit into a few bits however many
/// sets of arrays a plan gets. The same on all ranks, since they bind and forget the same sets.
template <class Bindings>
std::uint64_t free_number(const Bindings& bindings) {
    std::uint64_t number = 0;
    while (std::any_of(bindings.begin(), bindings.end(),
                       [&](const auto& binding) { return binding->number == number; }))
        ++number;
    return number;
}

} // namespace distview::impl
