// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/hypre.hpp>
#include <distview/interop.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// Poisson's equation in a box with any sides, as a stencil and as rows.

namespace distview::testing {

using Exec = Kokkos::DefaultHostExecutionSpace;

enum class Sides { walls, periodic, neumann };

/// The coefficients of the faces of cells.
struct Equations {
    std::int64_t n[3];
    Sides sides[3];
    bool varies = true; ///< k between 1 and 2, else 1

    KOKKOS_FUNCTION double face(int axis, std::int64_t i, std::int64_t j, std::int64_t k) const {
        std::int64_t at[3] = {i, j, k};
        const bool is_outer = at[axis] == 0 || at[axis] == n[axis];
        if (is_outer && sides[axis] == Sides::neumann) return 0;
        if (sides[axis] == Sides::periodic && at[axis] == n[axis]) at[axis] = 0;
        const auto number = 7 * at[0] + 3 * at[1] + 5 * at[2] + axis;
        const double value = varies ? 1 + static_cast<double>(number % 5) / 4 : 1;
        return is_outer && sides[axis] == Sides::walls ? 2 * value : value;
    }
    bool is_singular() const {
        return std::ranges::none_of(sides, [](Sides s) { return s == Sides::walls; });
    }
    void add_row(MatrixRow& row, std::int64_t i, std::int64_t j, std::int64_t k) const {
        for (int d = 0; d < 3; ++d)
            for (const std::int64_t step : {-1, 1}) {
                const std::int64_t up = step > 0 ? 1 : 0;
                const double value =
                    face(d, i + (d == 0) * up, j + (d == 1) * up, k + (d == 2) * up);
                row.add(value, {0, 0, 0});
                row.add(-value, {(d == 0) * step, (d == 1) * step, (d == 2) * step});
            }
    }
};

/// The same as a stencil on padded sections, whose first element is the cell `origin`.
struct Stencil {
    Equations equations;
    std::int64_t origin[3];

    template <class View>
    KOKKOS_FUNCTION double operator()(const View& u, std::int64_t i, std::int64_t j,
                                      std::int64_t k) const {
        double sum = 0;
        for (int d = 0; d < 3; ++d)
            for (const int step : {-1, 1}) {
                const std::int64_t up = step > 0 ? 1 : 0;
                const double value =
                    equations.face(d, origin[0] + i + (d == 0) * up, origin[1] + j + (d == 1) * up,
                                   origin[2] + k + (d == 2) * up);
                sum += value * (u(i, j, k) -
                                u(i + (d == 0) * step, j + (d == 1) * step, k + (d == 2) * step));
            }
        return sum;
    }
};

/// A number between -1 and 1 for a cell.
struct Scattered {
    std::uint64_t seed;
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        std::uint64_t x = seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(i.value());
        for (const GlobalIndex next : {j, k}) {
            x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(next.value());
            x = (x ^ (x >> 32)) * 0x94d049bb133111ebu;
        }
        return static_cast<double>(x >> 11) * 0x1p-52 - 1;
    }
};

/// Blocks that hold at least one cell each, with room for the stencil.
inline ArrayLayout blocks_of(const Equations& equations, int ranks, std::uint64_t seed) {
    Random random(seed, 0);
    const ProcessGrid grid = ProcessGrid::balanced(ranks, 3);
    std::vector<AxisSpec> axes;
    for (int d = 0; d < 3; ++d) {
        const BlockOptions options{
            .padding = 1, .boundary = 1, .periodic = equations.sides[d] == Sides::periodic};
        const std::int64_t n = equations.n[d];
        std::vector<std::int64_t> bounds{0};
        for (int left = grid.extent(d) - 1; left > 0; --left)
            bounds.push_back(random.integer(bounds.back() + 1, n - left + 1));
        bounds.push_back(n);
        axes.push_back(block_bounds(bounds, options));
    }
    return {grid, axes};
}

/// The equations on one layout.
class System {
public:
    using Vector = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

    System(const Communicator& over, const Equations& of, std::uint64_t seed)
        : comm(over), equations(of), layout(blocks_of(of, over.size(), seed)), rows(over, layout),
          plan(over, layout),
          stencil(unpadded_stencil<double***>(exec, over, StencilOperator{plan, functor()})) {}

    Vector make(const char* label) const {
        return make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, label, comm,
                                                                                 rows.layout());
    }
    Vector make_scattered(const char* label, std::uint64_t seed) const {
        const Vector array = make(label);
        fill_with(exec, array, Scattered{seed});
        exec.fence("distview::testing::System: scattered");
        return array;
    }
    /// y = A x by the stencil.
    void apply(const Vector& x, const Vector& y) const {
        stencil(exec, x, y);
        exec.fence("distview::testing::System: applied");
    }
    MatrixRows assembled() const {
        return assemble(rows, [this](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            equations.add_row(row, i.value(), j.value(), k.value());
        });
    }

    Exec exec;
    Communicator comm;
    Equations equations;
    ArrayLayout layout;
    RowNumbering rows;
    mutable PaddingExchangePlan plan;
    UnpaddedStencil<double***, Stencil, Exec> stencil;

private:
    Stencil functor() const {
        Stencil result{equations, {}};
        const GridCoordinates at = layout.coordinates(comm.rank());
        for (int d = 0; d < 3; ++d)
            result.origin[d] =
                layout.axis(d).to_global(at[static_cast<std::size_t>(d)], LocalIndex(0)).value();
        return result;
    }
};

/// The greatest difference between cells of this rank; with `centered`, between arrays without their means.
inline double difference(const System& system, const System::Vector& x, const System::Vector& y,
                         bool centered = false) {
    const std::int64_t count = system.rows.local_rows();
    double sums[2] = {};
    for (std::int64_t n = 0; n < count; ++n) {
        sums[0] += x.view().data()[n];
        sums[1] += y.view().data()[n];
    }
    all_reduce(system.comm, ReduceOperation::sum, std::span<double>(sums));
    const double shift =
        centered ? (sums[0] - sums[1]) / static_cast<double>(system.rows.rows()) : 0;
    double most = 0;
    for (std::int64_t n = 0; n < count; ++n)
        most = std::max(most, std::abs(x.view().data()[n] - y.view().data()[n] - shift));
    return most;
}

/// All kinds of sides, alone and mixed; the sizes of the axes differ.
inline std::vector<Equations> various_equations() {
    const Sides w = Sides::walls, p = Sides::periodic, n = Sides::neumann;
    return {{{7, 9, 11}, {w, w, w}}, {{8, 6, 10}, {p, p, p}}, {{9, 7, 6}, {n, n, n}},
            {{6, 11, 8}, {w, p, n}}, {{12, 6, 7}, {n, p, n}}, {{6, 13, 8}, {n, n, w}, false}};
}

} // namespace distview::testing
