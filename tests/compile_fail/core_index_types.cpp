// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/index_types.hpp>

namespace {

using distview::GlobalIndex;
using distview::GlobalRange;
using distview::LocalIndex;
using distview::LocalRange;

int value_at(LocalIndex l) { return static_cast<int>(l.value()); }

} // namespace

int main() {
    const GlobalIndex g(5);
    const LocalIndex l(3);
    const GlobalRange range{GlobalIndex(0), GlobalIndex(8)};
#if DISTVIEW_CASE == 0
    const LocalIndex next = l + 1;
    const LocalRange local{l, next};
    return value_at(l) + static_cast<int>(g - range.begin) + (range.contains(g) ? 1 : 0) +
           (local.contains(l) ? 1 : 0) + (l == next ? 1 : 0);
#elif DISTVIEW_CASE == 1 // expected: deleted
    return value_at(g) + value_at(l) + static_cast<int>(range.size());
#elif DISTVIEW_CASE == 2 // expected: could not convert|no known conversion|no matching function
    return value_at(3) + value_at(l) + static_cast<int>(range.size());
#elif DISTVIEW_CASE == 3 // expected: deleted
    return (l == g ? 1 : 0) + value_at(l) + static_cast<int>(range.size());
#elif DISTVIEW_CASE == 4 // expected: deleted
    return (l < g ? 1 : 0) + value_at(l) + static_cast<int>(range.size());
#elif DISTVIEW_CASE == 5 // expected: deleted
    return static_cast<int>(g - l) + value_at(l) + static_cast<int>(range.size());
#elif DISTVIEW_CASE == 6 // expected: deleted
    return (range.contains(l) ? 1 : 0) + value_at(l) + static_cast<int>(g.value());
#elif DISTVIEW_CASE == 7 // expected: conversion from|no viable conversion
    const LocalIndex other = 3;
    return value_at(other) + value_at(l) + static_cast<int>(g - range.begin);
#elif DISTVIEW_CASE == 8 // expected: deleted
    const LocalRange mixed{l, g};
    return value_at(mixed.begin) + static_cast<int>(range.size());
#endif
}
