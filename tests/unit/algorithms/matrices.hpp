// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sections.hpp"

#include <distview/comm/make_dist_view.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::testing {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class Layout = Kokkos::LayoutRight>
using Matrix = DistView<double**, Layout, Kokkos::HostSpace>;

inline double value(std::int64_t i, std::int64_t j) { return static_cast<double>(100 * i + j + 1); }

template <class Layout = Kokkos::LayoutRight>
Matrix<Layout> make_matrix(const Communicator& comm, const ArrayLayout& layout) {
    const auto x = make_dist_view<double**, Layout, Kokkos::HostSpace>(Host(), "x", comm, layout);
    Kokkos::deep_copy(x.view(), -1.0);
    for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
        element(x.view(), l) = value(g[0], g[1]);
    });
    return x;
}

/// Layouts of every kind, of 7 x 9 cells, on n ranks.
inline std::vector<ArrayLayout> all_layouts(int n) {
    const ProcessGrid rows{n, 1};
    const ProcessGrid columns{1, n};
    const ProcessGrid both = ProcessGrid::balanced(n, 2);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < 7; ++i)
        lists[static_cast<std::size_t>((i * 5 + 1) % n)].push_back(6 - i);
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(n) + 1,
                                     9); // the first rank owns all
    bounds[0] = 0;
    return {{rows, {block(7), block(9)}},
            {rows, {block(7, {.padding = 1}), block(9, {.padding = 2})}},
            {columns, {block(7), block(9, {.padding = 1, .periodic = true})}},
            {both, {regular_block(7), block(9)}},
            {both, {cyclic(7), block_cyclic(9, 2)}},
            {columns, {block(7), block_bounds(bounds)}},
            {rows, {unstructured(lists, true), block(9)}}};
}

} // namespace distview::testing
