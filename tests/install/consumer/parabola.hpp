// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/runtime.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

/// -u'' = 1 between walls; the solution is a parabola. Contains the code that users of any stack
/// write before they solve, and the check of the answer.
struct Parabola {
    using Exec = Kokkos::DefaultHostExecutionSpace;
    using Array = distview::DistView<double*, Kokkos::HostSpace>;

    explicit Parabola(const distview::Communicator& comm)
        : rows(comm,
               distview::ArrayLayout(distview::ProcessGrid{comm.size()}, {distview::block(cells)})),
          matrix(distview::assemble(rows,
                                    [](distview::MatrixRow& row, distview::GlobalIndex) {
                                        row.add(2, {0}), row.add(-1, {-1}), row.add(-1, {1});
                                    })),
          b(distview::make_dist_view<double*, Kokkos::HostSpace>(exec, "b", comm, rows.layout())),
          u(distview::make_dist_view<double*, Kokkos::HostSpace>(exec, "u", comm, rows.layout())) {
        distview::fill(exec, b, 1.0);
        exec.fence("the right side is there");
    }

    /// Returns the exit status of a program whose stack has solved for u.
    int check(const distview::Communicator& comm, int iterations) const {
        double worst = 0;
        for (std::int64_t c = 0; c < rows.local_rows(); ++c) {
            const auto x = static_cast<double>(rows.row_of_cell(c) + 1);
            worst = std::fmax(worst, std::abs(u.view().data()[c] - x * (cells + 1 - x) / 2));
        }
        std::printf("rank %d: %d iterations, error %g\n", comm.rank(), iterations, worst);
        return worst < 1e-8 ? 0 : 1;
    }

    static constexpr std::int64_t cells = 19;
    Exec exec{};
    distview::RowNumbering rows;
    distview::MatrixRows matrix;
    Array b;
    Array u;
};
