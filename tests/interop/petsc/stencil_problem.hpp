// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/interop/solver_arrays.hpp>
#include <distview/petsc.hpp>

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace distview::testing {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Field = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// PETSc for all tests of a program; it is stopped in MPI_Finalize.
inline const Communicator& comm_with_petsc() {
    static const Communicator comm(MPI_COMM_WORLD);
    static auto* const session = new petsc::Session(comm); // not destroyed: see above
    (void)session;
    return comm;
}

/// The boundary condition at the two sides of an axis.
enum class Side { zero, periodic, no_flux };

/// c u - sum of differences to the six neighbours, of uneven weights: as a stencil of a padded array, and as rows.
struct StencilProblem {
    StencilProblem(const Communicator& over, const ProcessGrid& grid,
                   const std::vector<std::int64_t>& n, const std::vector<Side>& asked, double shift)
        : comm(over), sides(asked), c(shift), layout(layout_of(grid, n, asked)), rows(over, layout),
          plan(over, layout, {.stencil = Stencil::faces}) {}

    static ArrayLayout layout_of(const ProcessGrid& grid, const std::vector<std::int64_t>& n,
                                 const std::vector<Side>& sides) {
        std::vector<AxisSpec> axes;
        for (std::size_t d = 0; d < n.size(); ++d)
            axes.push_back(
                block(n[d], {.padding = 1, .boundary = 1, .periodic = sides[d] == Side::periodic}));
        return {grid, axes};
    }

    static constexpr double weights[3] = {1, 0.7, 0.3};

    /// The stencil: no flux where the neighbour would lie outside.
    struct Functor {
        double c;
        std::int64_t first[3], last[3]; ///< with a lower, upper neighbour
        template <class View>
        KOKKOS_FUNCTION double operator()(const View& u, std::int64_t i, std::int64_t j,
                                          std::int64_t k) const {
            const double here = u(i, j, k);
            double sum = c * here;
            if (i != first[0]) sum += weights[0] * (here - u(i - 1, j, k));
            if (i != last[0]) sum += weights[0] * (here - u(i + 1, j, k));
            if (j != first[1]) sum += weights[1] * (here - u(i, j - 1, k));
            if (j != last[1]) sum += weights[1] * (here - u(i, j + 1, k));
            if (k != first[2]) sum += weights[2] * (here - u(i, j, k - 1));
            if (k != last[2]) sum += weights[2] * (here - u(i, j, k + 1));
            return sum;
        }
    };

    Functor functor() const {
        Functor result{c, {-1, -1, -1}, {-1, -1, -1}};
        const GridCoordinates at = layout.coordinates(comm.rank());
        for (int d = 0; d < 3; ++d) {
            const auto axis = static_cast<std::size_t>(d);
            if (sides[axis] != Side::no_flux) continue;
            const LocalRange mine = layout.axis(d).interior_local(at[axis]);
            if (mine.empty()) continue;
            if (layout.axis(d).to_global(at[axis], mine.begin) == 0)
                result.first[d] = mine.begin.value();
            if (layout.axis(d).to_global(at[axis], mine.end - 1) == layout.extent(d) - 1)
                result.last[d] = mine.end.value() - 1;
        }
        return result;
    }
    auto stencil() { return StencilOperator{plan, functor()}; }

    MatrixRows assembled() const {
        return assemble(rows, [this](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            const std::int64_t cell[3] = {i.value(), j.value(), k.value()};
            row.add(c, {0, 0, 0});
            for (std::int64_t d = 0; d < 3; ++d)
                for (const std::int64_t step : {-1, 1}) {
                    const std::int64_t other = cell[d] + step;
                    const bool is_outside =
                        other < 0 || other >= layout.extent(static_cast<int>(d));
                    if (is_outside && sides[static_cast<std::size_t>(d)] == Side::no_flux) continue;
                    row.add(weights[d], {0, 0, 0});
                    row.add(-weights[d], {d == 0 ? step : 0, d == 1 ? step : 0, d == 2 ? step : 0});
                }
        });
    }

    Field make(const char* label) const {
        return make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), label, comm, rows.layout());
    }
    /// The same on any number of ranks.
    Field make_random(const char* label, std::uint64_t seed) const {
        const Field field = make(label);
        fill_with(Exec(), field, [seed](GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            std::uint64_t x =
                seed + static_cast<std::uint64_t>((i * 1000 + j) * 1000 + k) * 0x9e3779b97f4a7c15u;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
            x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
            return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
        });
        Exec().fence("random numbers are there");
        return field;
    }

    Communicator comm;
    std::vector<Side> sides;
    double c;
    ArrayLayout layout;
    RowNumbering rows;
    PaddingExchangePlan plan;
};

} // namespace distview::testing
