// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axes.hpp"
#include "plan.hpp"

#include <distview/comm/grid_placement.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

using namespace distview::c;
using distview::LayoutError;
using distview::require;
using distview::text;

int distview_place_on_nodes(int count, const int* nodes, int rank, const distview_axis* axes,
                            int stencil, distview_grid_placement* result, int* ranks) {
    return guard(__func__, [&](const char* function) {
        distview_grid_placement& place = checked(result, function, "a place for the result");
        require<LayoutError>(
            count > 0, [&] { return text(function, ": expected at least 1 rank, got ", count); });
        require<LayoutError>(rank > 0 && rank <= distview::max_rank, [&] {
            return text(function, ": expected from 1 to ", distview::max_rank, " axes, got ", rank);
        });
        checked(nodes, function, "nodes");
        checked(axes, function, "axes");
        checked(ranks, function, "a place for the ranks");
        std::vector<distview::AxisSpec> specs;
        for (int d = 0; d < rank; ++d) {
            const int kind = axes[d].kind;
            // The other kinds fix the distribution over processes, and with it their grid.
            require<LayoutError>(kind == DISTVIEW_BLOCK || kind == DISTVIEW_REGULAR_BLOCK ||
                                     kind == DISTVIEW_CYCLIC,
                                 [&] {
                                     return text(function,
                                                 ": expected blocks (0), regular blocks (1) or a "
                                                 "cyclic axis (3) for axis ",
                                                 d, ", got the kind ", kind);
                                 });
            specs.push_back(axis_of_program(axes[d], 1, function));
        }
        const distview::GridPlacement placed =
            distview::place_on_nodes(std::span(nodes, static_cast<std::size_t>(count)), specs,
                                     stencil_of(stencil, function));
        place = {};
        for (int d = 0; d < rank; ++d) place.grid[d] = placed.grid.extent(d);
        place.between_nodes = placed.between_nodes;
        place.between_nodes_of_balanced = placed.between_nodes_of_balanced;
        std::copy(placed.ranks.begin(), placed.ranks.end(), ranks);
    });
}
