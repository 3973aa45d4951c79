// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/grid_placement.hpp>

#include "schedule/for_each_product.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace distview {

namespace {

using impl::Factors;
using impl::for_each_product;

/// Costs of cutting an axis of an array, independent of the grid.
struct CutAxis {
    std::int64_t size = 0;  ///< elements along it
    std::int64_t width = 0; ///< padding on both sides of a cut, together
    bool periodic = false;

    /// The number of cuts between `parts` parts of the axis.
    std::int64_t cuts(int parts) const { return parts == 1 ? 0 : periodic ? parts : parts - 1; }
};

CutAxis cut_axis(const AxisLayout& axis) {
    CutAxis cut{.size = axis.size()};
    if (!axis.is_block()) return cut;
    const BlockLayout& block = axis.as_block();
    cut.periodic = block.periodic();
    cut.width = block.widest_padding().low + block.widest_padding().high;
    return cut;
}

/// A grid of processes, divided into boxes of `box` processes.
struct Candidate {
    Factors grid;
    Factors box;
    std::int64_t between_boxes = 0; ///< elements
    std::int64_t between_processes = 0;
    std::int64_t flatness = 0; ///< 0 for the balanced grid; else the least is closest to a cube

    auto order() const { return std::tie(between_boxes, between_processes, flatness, grid, box); }
};

class Placing {
public:
    Placing(std::span<const int> nodes, const std::vector<AxisSpec>& axes, Stencil stencil)
        : m_nodes(nodes.begin(), nodes.end()), m_axes(axes), m_options{.stencil = stencil},
          m_rank(static_cast<int>(axes.size())) {
        require<LayoutError>(!nodes.empty(), [] {
            return text("place_on_nodes: expected the nodes of at least 1 rank, got none");
        });
        int box = 0;
        for (std::size_t r = 0; r < nodes.size(); ++r) {
            auto& ranks = m_ranks_of[nodes[r]];
            if (ranks.empty()) m_order.push_back(nodes[r]);
            ranks.push_back(static_cast<int>(r));
        }
        for (const auto& [node, ranks] : m_ranks_of)
            box = std::gcd(box, static_cast<int>(ranks.size()));
        m_box_size = box;
    }

    GridPlacement find() {
        const int n = static_cast<int>(m_nodes.size());
        const ProcessGrid balanced = ProcessGrid::balanced(n, m_rank);
        std::vector<Candidate> candidates = collect(n, balanced);
        std::sort(candidates.begin(), candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return a.order() < b.order(); });

        std::vector<int> in_order(m_nodes.size());
        std::iota(in_order.begin(), in_order.end(), 0);
        GridPlacement best;
        best.between_nodes = -1;
        const std::int64_t before = count(balanced, in_order).value_or(-1);
        // Surfaces are exact except for corners and boxes of unequal nodes: so the best few are counted.
        constexpr std::size_t counted = 8;
        std::size_t suitable = 0;
        for (const Candidate& candidate : candidates) {
            if (suitable == counted) break;
            const ProcessGrid grid = grid_of(candidate.grid);
            std::vector<int> ranks = ranks_in_boxes(grid, candidate.box);
            const std::optional<std::int64_t> elements = count(grid, ranks);
            if (!elements) continue;
            ++suitable;
            if (best.between_nodes < 0 || *elements < best.between_nodes)
                best = {grid, std::move(ranks), *elements, before};
        }
        if (best.between_nodes < 0) {
            // Throws an error that says what does not fit.
            const ArrayLayout layout(balanced, m_axes);
            for (int p = 0; p < n; ++p) PaddingExchangeSchedule(layout, p, m_options);
        }
        // Keeps the usual grid if nothing is gained.
        if (before >= 0 && before <= best.between_nodes)
            return {balanced, std::move(in_order), before, before};
        return best;
    }

private:
    ProcessGrid grid_of(const Factors& factors) const {
        return ProcessGrid(std::span(factors).first(static_cast<std::size_t>(m_rank)));
    }

    std::vector<Candidate> collect(int n, const ProcessGrid& balanced) const {
        std::vector<Candidate> candidates;
        Factors any{};
        for_each_product(n, m_rank, any, [&](const Factors& grid) {
            std::array<CutAxis, max_rank> cuts{};
            try {
                const ArrayLayout layout(grid_of(grid), m_axes);
                for (int d = 0; d < m_rank; ++d)
                    cuts[static_cast<std::size_t>(d)] = cut_axis(layout.axis(d));
            } catch (const LayoutError&) {
                return; // an axis with a fixed number of processes
            }
            const std::int64_t between_processes = surface(cuts, grid, Factors{});
            std::int64_t flatness = 0;
            if (grid_of(grid) != balanced) flatness = *std::max_element(grid.begin(), grid.end());
            for_each_product(m_box_size, m_rank, grid, [&](const Factors& box) {
                candidates.push_back(
                    {grid, box, surface(cuts, grid, box), between_processes, flatness});
            });
        });
        return candidates;
    }

    /// Elements that are exchanged between boxes of processes; boxes of zeros are single processes.
    std::int64_t surface(const std::array<CutAxis, max_rank>& cuts, const Factors& grid,
                         const Factors& box) const {
        std::int64_t elements = 0;
        for (int d = 0; d < m_rank; ++d) {
            const auto i = static_cast<std::size_t>(d);
            std::int64_t face = cuts[i].cuts(grid[i] / std::max(box[i], 1)) * cuts[i].width;
            for (int e = 0; e < m_rank; ++e)
                if (e != d) face *= cuts[static_cast<std::size_t>(e)].size;
            elements += face;
        }
        return elements;
    }

    /// Gives each node in turn as many boxes as it has ranks for, and their processes to its ranks.
    std::vector<int> ranks_in_boxes(const ProcessGrid& grid, const Factors& box) const {
        std::vector<std::pair<Factors, int>> processes; // (box, process)
        for (int p = 0; p < grid.size(); ++p) {
            const GridCoordinates at = grid.coordinates(p);
            Factors box_at{};
            for (int d = 0; d < m_rank; ++d) {
                const auto i = static_cast<std::size_t>(d);
                box_at[i] = at[i] / box[i];
            }
            processes.emplace_back(box_at, p);
        }
        std::sort(processes.begin(), processes.end());
        std::vector<int> ranks(m_nodes.size());
        auto next = processes.begin();
        for (const int node : m_order)
            for (const int rank : m_ranks_of.at(node))
                ranks[static_cast<std::size_t>((next++)->second)] = rank;
        return ranks;
    }

    /// Counts elements of messages between nodes; nullopt if the grid does not suit the axes.
    std::optional<std::int64_t> count(const ProcessGrid& grid,
                                      const std::vector<int>& ranks) const {
        const auto node_of = [&](int process) {
            return m_nodes[static_cast<std::size_t>(ranks[static_cast<std::size_t>(process)])];
        };
        std::int64_t elements = 0;
        try {
            const ArrayLayout layout(grid, m_axes);
            for (int p = 0; p < grid.size(); ++p)
                for (const auto& message : PaddingExchangeSchedule(layout, p, m_options).sends())
                    if (node_of(message.peer) != node_of(p)) elements += message.elements;
        } catch (const LayoutError&) {
            return std::nullopt;
        }
        return elements;
    }

    std::vector<int> m_nodes;
    const std::vector<AxisSpec>& m_axes;
    PaddingExchangeOptions m_options;
    int m_rank;
    int m_box_size = 1;
    std::map<int, std::vector<int>> m_ranks_of; ///< by node
    std::vector<int> m_order;                   ///< nodes by their lowest ranks
};

} // namespace

std::string GridPlacement::describe() const {
    std::string result = text(grid.describe(), " processes: an exchange moves ", between_nodes,
                              " elements between nodes");
    if (between_nodes_of_balanced >= 0)
        result += text(" instead of ", between_nodes_of_balanced, " with ",
                       ProcessGrid::balanced(grid.size(), grid.rank()).describe(),
                       " processes in rank order");
    return result;
}

GridPlacement place_on_nodes(std::span<const int> nodes, const std::vector<AxisSpec>& axes,
                             Stencil stencil) {
    return Placing(nodes, axes, stencil).find();
}

} // namespace distview
