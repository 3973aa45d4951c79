// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace distview::testing {

/// -div(k grad u) = b between walls in a cube of n^3 cells. assembled() uses offsets; row(), for direct calls of a
/// stack, computes rows and columns independently. Each rank has a slab, so rows are in the C order of the cube.
struct CubeEquations {
    std::int64_t n;
    bool jumps; ///< k is 100 in the second half of the second axis, else 1

    double k(std::int64_t j) const { return jumps && 2 * j >= n ? 100 : 1; }
    /// The coefficient of the face between neighbours along the second axis.
    double between(std::int64_t j, std::int64_t other) const {
        if (other < 0 || other >= n) return 2 * k(j);
        return 2 * k(j) * k(other) / (k(j) + k(other));
    }

    ArrayLayout layout(int ranks) const {
        return {ProcessGrid{ranks, 1, 1}, {block(n), block(n), block(n)}};
    }
    MatrixRows assembled(const RowNumbering& rows) const {
        return assemble(rows, [this](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex l) {
            const std::int64_t at[3] = {i.value(), j.value(), l.value()};
            for (int d = 0; d < 3; ++d)
                for (const std::int64_t step : {-1, 1}) {
                    const bool is_outside = at[d] + step < 0 || at[d] + step >= n;
                    const double face =
                        d == 1 ? between(at[1], at[1] + step) : k(at[1]) * (is_outside ? 2 : 1);
                    row.add(face, {0, 0, 0});
                    row.add(-face, {d == 0 ? step : 0, d == 1 ? step : 0, d == 2 ? step : 0});
                }
        });
    }

    struct Row {
        std::vector<std::int64_t> columns;
        std::vector<double> values;
    };
    /// A row with its columns in ascending order.
    Row row(std::int64_t number) const {
        const std::int64_t i = number / (n * n), j = number / n % n, l = number % n;
        const double here = k(j);
        const double faces[6] = {i > 0 ? here : 2 * here, between(j, j - 1),
                                 l > 0 ? here : 2 * here, l < n - 1 ? here : 2 * here,
                                 between(j, j + 1),       i < n - 1 ? here : 2 * here};
        Row result;
        const auto add = [&](bool is_inside, std::int64_t column, double value) {
            if (!is_inside) return;
            result.columns.push_back(column);
            result.values.push_back(value);
        };
        add(i > 0, number - n * n, -faces[0]);
        add(j > 0, number - n, -faces[1]);
        add(l > 0, number - 1, -faces[2]);
        add(true, number, faces[0] + faces[1] + faces[2] + faces[3] + faces[4] + faces[5]);
        add(l < n - 1, number + 1, -faces[3]);
        add(j < n - 1, number + n, -faces[4]);
        add(i < n - 1, number + n * n, -faces[5]);
        return result;
    }
    double right_side(std::int64_t row) const {
        return static_cast<double>(row * 7919 % 1009) / 1009 - 0.5;
    }
};

/// The equations in arrays without padding.
struct CubeArrays {
    using Exec = Kokkos::DefaultHostExecutionSpace;

    CubeArrays(const Communicator& comm, const CubeEquations& of)
        : equations(of), rows(comm, of.layout(comm.size())),
          b(make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "b", comm,
                                                                              rows.layout())),
          u(make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u", comm,
                                                                              rows.layout())) {
        Exec().fence("arrays are there");
        for (std::int64_t c = 0; c < rows.local_rows(); ++c)
            b.view().data()[c] = of.right_side(rows.row_of_cell(c));
    }

    CubeEquations equations;
    RowNumbering rows;
    DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace> b, u;
};

/// Calls check(equations) for small cubes or, if DISTVIEW_MULTIGRID_SIZE is set, for n = 32, 64, ... up to that size.
template <class Check>
void for_each_cube(const Check& check) {
    const char* const asked = std::getenv("DISTVIEW_MULTIGRID_SIZE");
    const std::int64_t most = asked ? std::atoi(asked) : 20;
    for (const bool jumps : {false, true})
        for (std::int64_t n = asked ? 32 : 10; n <= most; n *= 2) check(CubeEquations{n, jumps});
}

/// Prints one line of a table of iterations if DISTVIEW_MULTIGRID_SIZE is set.
inline void tell_iterations(const Communicator& comm, const CubeEquations& equations,
                            const char* method, int ours, int theirs) {
    if (comm.rank() == 0 && std::getenv("DISTVIEW_MULTIGRID_SIZE"))
        std::printf(
            "%-12s %-8s %4lld^3: %3d iterations by the door, %3d by the stack's own calls\n",
            method, equations.jumps ? "jumping" : "constant", static_cast<long long>(equations.n),
            ours, theirs);
}

} // namespace distview::testing
