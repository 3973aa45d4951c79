// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview {

/// A process grid and the rank of each of its processes, such that a padding exchange moves few elements between nodes.
///
/// Collective: no (local)
struct GridPlacement {
    ProcessGrid grid{};
    /// The rank of each process, for order_ranks().
    std::vector<int> ranks{};
    /// Number of elements that one exchange moves from one node to another.
    std::int64_t between_nodes = 0;
    /// The same for ProcessGrid::balanced() with process p on rank p; -1 if that grid does not fit the axes.
    std::int64_t between_nodes_of_balanced = 0;

    /// "4 x 4 processes: 1600 elements of an exchange between nodes instead of 2400 with 4 x 4 processes in the order of ranks"
    std::string describe() const;
};

/// Searches for the process grid and order of ranks with which padding exchanges move fewest elements between nodes.
///
///     const std::vector<AxisSpec> axes{block(ny, {.padding = 1}), block(nx, {.padding = 1})};
///     const GridPlacement placed = place_on_nodes(nodes_of_ranks(comm), axes);
///     const Communicator ordered(order_ranks(comm, placed.ranks));
///     const ArrayLayout layout(placed.grid, axes);
///
/// Each node gets boxes of the process grid, all of one shape; the number of processes of a box is the greatest common
/// divisor of the nodes' numbers of ranks. The search compares grids and shapes by the surfaces of boxes, then counts
/// all messages of the best. Without a gain, as on one node, it returns ProcessGrid::balanced(), process p on rank p.
///
/// Collective: no (local); no MPI needed, the same result on all ranks that pass the same arguments
/// Indices:    nodes[r] is the node of rank r: any number that all ranks of the node share
/// Cost:       grows with the number P of processes, and with the number of factorisations of P into a factor per axis;
///             some milliseconds for 4096 processes and 3 axes
/// Errors:     LayoutError if `nodes` is empty, or if no grid fits the axes, which may prescribe numbers of processes
/// Source:     Gropp, "Using node information to implement MPI Cartesian topologies", EuroMPI 2018
GridPlacement place_on_nodes(std::span<const int> nodes, const std::vector<AxisSpec>& axes,
                             Stencil stencil = Stencil::box);

} // namespace distview
