// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "baselines/section.hpp"
#include "perf.hpp"

#include <distview/core/array_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace distview::perf {

template <int Rank>
using Data = std::conditional_t<Rank == 2, double**, double***>;

/// A square or cube of n cells along each axis on every rank, periodic; ranks split the slowest
/// axis or the fastest.
template <int Rank>
Section make_section(std::int64_t n, std::int64_t width, bool fastest) {
    Section section{.split_axis = fastest ? 2 : 3 - Rank,
                    .rank = communicator().rank(),
                    .ranks = communicator().size()};
    section.cells.fill(n);
    section.width.fill(width);
    if (Rank == 2) {
        section.cells[0] = 1;
        section.width[0] = 0;
    }
    return section;
}

/// The same shape as a layout for a plan.
template <int Rank>
ArrayLayout make_layout(const Section& section) {
    std::vector<int> grid(Rank, 1);
    std::vector<AxisSpec> axes;
    grid[static_cast<std::size_t>(section.split_axis - (3 - Rank))] = section.ranks;
    for (std::size_t d = 0; d < Rank; ++d) {
        const std::size_t axis = d + 3 - Rank;
        axes.push_back(block(section.cells[axis] * grid[d],
                             {.padding = section.width[axis], .periodic = true}));
    }
    return ArrayLayout(ProcessGrid(grid), axes);
}

} // namespace distview::perf
