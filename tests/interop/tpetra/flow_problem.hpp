// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/interop/matrix_rows.hpp>
#include <distview/interop/solver_arrays.hpp>
#include <distview/tpetra.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/ranks.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

// -div(k grad u) on a plane, as a stencil and as a lambda for assemble().

namespace distview::testing {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Plane = DistView<double**, Kokkos::LayoutRight, Exec::memory_space>;

inline Communicator world() { return Communicator(MPI_COMM_WORLD); }

enum class Sides { walls, periodic, neumann };

/// The coefficient of the lower face of cell (i, j) along an axis. Shape::face() handles boundaries.
KOKKOS_INLINE_FUNCTION double coefficient(int axis, std::int64_t i, std::int64_t j) {
    return 1 + static_cast<double>((i * 7 + j * 13 + axis * 5) % 11) / 7;
}

/// Sizes and boundaries.
struct Shape {
    std::array<std::int64_t, 2> n;
    std::array<Sides, 2> sides;

    KOKKOS_FUNCTION double face(int axis, std::int64_t i, std::int64_t j) const {
        const std::int64_t at = axis == 0 ? i : j, size = axis == 0 ? n[0] : n[1];
        const Sides its = axis == 0 ? sides[0] : sides[1];
        const bool outer = at == 0 || at == size;
        if (outer && its == Sides::neumann) return 0;
        const std::int64_t wrapped = its == Sides::periodic && at == size ? 0 : at;
        return axis == 0 ? coefficient(0, wrapped, j) : coefficient(1, i, wrapped);
    }
    bool is_singular() const { return sides[0] != Sides::walls && sides[1] != Sides::walls; }
};

/// Element (i, j) of A u; local indices.
struct Flow {
    Shape shape;
    std::int64_t first[2]; ///< global index minus local index

    KOKKOS_FUNCTION double operator()(const Plane::view_type& u, std::int64_t i,
                                      std::int64_t j) const {
        const std::int64_t gi = i + first[0], gj = j + first[1];
        return shape.face(0, gi, gj) * (u(i, j) - u(i - 1, j)) +
               shape.face(0, gi + 1, gj) * (u(i, j) - u(i + 1, j)) +
               shape.face(1, gi, gj) * (u(i, j) - u(i, j - 1)) +
               shape.face(1, gi, gj + 1) * (u(i, j) - u(i, j + 1));
    }
};

struct FlowProblem {
    FlowProblem(const Shape& its_shape, const ProcessGrid& grid, const std::vector<AxisSpec>& axes,
                RowOrder order = RowOrder::by_rank)
        : shape(its_shape), padded(grid, axes), rows(comm, padded, order), map(rows),
          plan(comm, padded, {.stencil = Stencil::faces}) {}

    Plane make(const ArrayLayout& layout, const char* name) const {
        return make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(exec, name, comm,
                                                                                 layout);
    }
    Plane make(const char* name) const { return make(rows.layout(), name); }

    StencilOperator<Flow> stencil() {
        Flow flow{shape, {}};
        for (int d = 0; d < 2; ++d) {
            const int at = padded.coordinates(comm.rank())[static_cast<std::size_t>(d)];
            flow.first[d] = padded.axis(d).to_global(at, LocalIndex(0)).value();
        }
        return {plan, flow};
    }
    MatrixRows assembled() const {
        return assemble(rows, [this](MatrixRow& row, GlobalIndex i, GlobalIndex j) {
            const auto add = [&](double k, std::int64_t di, std::int64_t dj) {
                if (k == 0) return;
                row.add(k, {0, 0});
                row.add(-k, {di, dj});
            };
            add(shape.face(0, i, j), -1, 0);
            add(shape.face(0, i + 1, j), 1, 0);
            add(shape.face(1, i, j), 0, -1);
            add(shape.face(1, i, j + 1), 0, 1);
        });
    }
    /// Calls f(l, m, i, j) for the cells of an array without padding; l and m are local, i and j global indices.
    template <class Function>
    void each(const Plane& array, const Function& f) const {
        for (std::size_t l = 0; l < array.view().extent(0); ++l)
            for (std::size_t m = 0; m < array.view().extent(1); ++m)
                f(l, m, array.global_index(0, LocalIndex(l)).value(),
                  array.global_index(1, LocalIndex(m)).value());
    }
    /// Fills the array with numbers that do not depend on the ranks; their sum is zero if A is singular.
    void fill(const Plane& array) const {
        const auto value = [&](std::int64_t i, std::int64_t j) {
            return static_cast<double>((i * 31 + j * 17) % 23) / 7 - 1;
        };
        double mean = 0;
        if (shape.is_singular()) {
            for (std::int64_t i = 0; i < shape.n[0]; ++i)
                for (std::int64_t j = 0; j < shape.n[1]; ++j) mean += value(i, j);
            mean /= static_cast<double>(shape.n[0] * shape.n[1]);
        }
        each(array, [&](std::size_t l, std::size_t m, std::int64_t i, std::int64_t j) {
            array.view()(l, m) = value(i, j) - mean;
        });
    }

    Exec exec;
    Communicator comm = world();
    Shape shape;
    ArrayLayout padded;
    RowNumbering rows;
    tpetra::Map map;
    PaddingExchangePlan plan;
};

inline Sides random_sides(Random& random) {
    return random.pick(std::vector<Sides>{Sides::walls, Sides::periodic, Sides::neumann});
}

/// Equal blocks or irregular blocks, with at least one cell each.
inline AxisSpec random_axis(Random& random, std::int64_t n, int processes, Sides sides) {
    const BlockOptions options{.padding = 1, .boundary = 1, .periodic = sides == Sides::periodic};
    if (random.chance(0.5)) return block(n, options);
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p < processes; ++p)
        bounds.push_back(random.integer(bounds.back() + 1, n - (processes - p) + 1));
    bounds.push_back(n);
    return block_bounds(bounds, options);
}

inline FlowProblem random_problem(Random& random) {
    const std::vector<int> grid = random_process_grid(random, rank_count(), 2);
    Shape shape{{grid[0] + random.integer(0, 12), grid[1] + random.integer(0, 12)},
                {random_sides(random), random_sides(random)}};
    std::vector<AxisSpec> axes;
    for (std::size_t d = 0; d < 2; ++d)
        axes.push_back(random_axis(random, shape.n[d], grid[d], shape.sides[d]));
    return FlowProblem(shape, ProcessGrid(std::span<const int>(grid)), axes,
                       random.chance(0.5) ? RowOrder::by_rank : RowOrder::global);
}

} // namespace distview::testing
