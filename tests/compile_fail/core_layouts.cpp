// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/array_layout.hpp>

using distview::ArrayLayout;
using distview::AxisLayout;
using distview::GlobalIndex;
using distview::LocalIndex;
using distview::ProcessGrid;

int ask(const ArrayLayout& layout, const AxisLayout& axis) {
    GlobalIndex g(5);
    const LocalIndex l(3);
    const GlobalIndex index[] = {g, g};
    const LocalIndex local_index[] = {l, l};
#if DISTVIEW_CASE == 0
    g += 2;
    g -= 1;
    const GlobalIndex held = axis.to_global(0, l + 1);
    return layout.owner(index) + axis.owner(held) + static_cast<int>(axis.to_local(0, g)) +
           static_cast<int>(local_index[0]) + ProcessGrid{2}.size() +
           axis.owner(axis.global_index(axis.protocol_index(g))) +
           static_cast<int>(layout.extent(0) + layout.protocol_size(0));
#elif DISTVIEW_CASE == 1  // expected: deleted
    // A local index has no owner without its process.
    return axis.owner(l) + layout.owner(index) + static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 2  // expected: deleted
    return static_cast<int>(axis.to_global(0, g)) + layout.owner(index) +
           static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 3  // expected: deleted
    return static_cast<int>(axis.to_local(0, l)) + layout.owner(index) +
           static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 4  // expected: no known conversion|could not convert|cannot convert|no viable conversion
    return axis.owner(5) + layout.owner(index) + static_cast<int>(local_index[0] + l.value());
#elif DISTVIEW_CASE == 5  // expected: no known conversion|could not convert|cannot convert|no viable conversion|no matching function
    return layout.owner(local_index) + axis.owner(index[0]);
#elif DISTVIEW_CASE == 6  // expected: deleted
    return static_cast<int>(g + l) + layout.owner(index) + axis.owner(g) +
           static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 7  // expected: deleted
    g += l;
    return layout.owner(index) + axis.owner(g) + static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 8  // expected: deleted
    g -= l;
    return layout.owner(index) + axis.owner(g) + static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 9  // expected: conversion from|no viable conversion|could not convert
    // A number of processes is no grid: the number of axes is missing.
    const ProcessGrid grid = 6;
    return grid.size() + layout.owner(index) + axis.owner(g) + static_cast<int>(local_index[0] + l);
#elif DISTVIEW_CASE == 10  // expected: deleted
    // A protocol index counts from the boundary padding, a global index from the interior.
    return axis.owner(axis.protocol_index(g)) + layout.owner(index) +
           static_cast<int>(local_index[0]);
#elif DISTVIEW_CASE == 11  // expected: deleted
    return static_cast<int>(axis.global_index(axis.protocol_index(g)) - axis.protocol_index(g)) +
           layout.owner(index) + static_cast<int>(local_index[0] + l);
#elif DISTVIEW_CASE == 12  // expected: no matching function|too many arguments|no member function
    // size(axis) would be ambiguous: extent(axis) counts the interior, protocol_size(axis) boundary padding too.
    return static_cast<int>(layout.size(0)) + layout.owner(index) + axis.owner(g) +
           static_cast<int>(local_index[0] + l);
#endif
}
