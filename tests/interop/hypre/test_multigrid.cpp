// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid's promise: iterations hardly grow with the grid.
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace distview::testing {

namespace {

TEST(HypreMultigrid, IterationsHardlyGrow) {
    set_test_timeout(170);
    const Communicator comm(MPI_COMM_WORLD);
    const hypre::Session session(comm);
    const char* asked =
        std::getenv("DISTVIEW_MULTIGRID_SIZE"); // 128 by hand, which takes half a minute
    const std::int64_t most = asked ? std::atoi(asked) : 64;
    for (const Sides sides : {Sides::walls, Sides::neumann}) {
        int first = 0;
        for (std::int64_t n = 32; n <= most; n *= 2) {
            const System system(comm, {{n, n, n}, {sides, sides, sides}, false}, 1);
            const auto b = system.make("b"), u = system.make("u");
            system.apply(system.make_scattered("w", 1), b);
            const auto result =
                hypre::solve(comm, hypre::ij_matrix(system.assembled()),
                             hypre::vector(system.rows, b), hypre::vector(system.rows, u),
                             {.preconditioner = "boomeramg",
                              .tolerance = 1e-8,
                              .constant_null_space = sides == Sides::neumann});
            RecordProperty((sides == Sides::walls ? "walls_" : "neumann_") + std::to_string(n),
                           result.iterations);
            if (rank() == 0 && asked)
                printf("%s %lld: %d iterations\n", sides == Sides::walls ? "walls" : "neumann",
                       static_cast<long long>(n), result.iterations);
            if (n == 32) first = result.iterations;
            EXPECT_LE(result.iterations, first + 3) << n;
            EXPECT_LE(result.iterations, 20) << n;
        }
    }
}

} // namespace

} // namespace distview::testing
