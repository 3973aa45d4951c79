// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview {

/// A process grid and which rank is to be which of its processes, so that a padding exchange moves little between nodes.
///
/// Collective: no (local)
struct GridPlacement {
    ProcessGrid grid{};
    /// By process: its rank, for order_ranks().
    std::vector<int> ranks{};
    /// Elements of one exchange that go from one node to another one.
    std::int64_t between_nodes = 0;
    /// The same for ProcessGrid::balanced() with process p on rank p; -1 if that grid does not suit the axes.
    std::int64_t between_nodes_of_balanced = 0;

    /// "4 x 4 processes: 1600 elements of an exchange between nodes instead of 2400 with 4 x 4 processes in the order of ranks"
    std::string describe() const;
};

/// Looks for the process grid and the order of ranks with which padding exchanges of an array move least between nodes.
///
///     const std::vector<AxisSpec> axes{block(ny, {.padding = 1}), block(nx, {.padding = 1})};
///     const GridPlacement placed = place_on_nodes(nodes_of_ranks(comm), axes);
///     const Communicator ordered(order_ranks(comm, placed.ranks));
///     const ArrayLayout layout(placed.grid, axes);
///
/// Each node gets a box of the process grid if all have as many ranks, else boxes of as many processes as divide the
/// ranks of every node; boxes have one shape. All grids and shapes are looked at, by the surfaces of the boxes; of the
/// best ones every message is counted. Where nothing is gained, as on a single node, it is ProcessGrid::balanced() with process p on rank p.
///
/// Collective: no (local); no MPI needed, the same result on all ranks that pass the same
/// Indices:    nodes[r] is the node of rank r, any number that ranks of the node have in common
/// Cost:       for P processes some P, and the number of ways to write P as a product of as many factors as there are
///             axes; some milliseconds for 4096 processes and 3 axes
/// Errors:     LayoutError if there is no rank, or if no grid suits the axes, whose number of processes may be given
/// Source:     Gropp, "Using node information to implement MPI Cartesian topologies", EuroMPI 2018
GridPlacement place_on_nodes(std::span<const int> nodes, const std::vector<AxisSpec>& axes,
                             Stencil stencil = Stencil::box);

} // namespace distview
