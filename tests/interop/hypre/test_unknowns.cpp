// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear elasticity: several unknowns per cell, whose number is passed to BoomerAMG.
#include "../elasticity.hpp"
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_ls.h>
#include <gtest/gtest.h>

namespace distview::testing {

namespace {

class HypreUnknowns : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};

    template <int Dim>
    hypre::SolveResult solve(const ElasticBar<Dim>& bar,
                             const typename ElasticBar<Dim>::Field& u) const {
        return hypre::solve(comm, hypre::ij_matrix(bar.assembled()),
                            hypre::vector(bar.rows, bar.weight()), hypre::vector(bar.rows, u),
                            {.preconditioner = "boomeramg", .tolerance = 1e-10});
    }
    template <int Dim>
    void expect_the_displacements(const typename ElasticBar<Dim>::Node& n) const {
        const ElasticBar<Dim> bar(comm, n, Dim);
        const auto u = bar.make("u");
        EXPECT_TRUE(solve(bar, u).converged);
        EXPECT_LE(bar.error(u), 1e-6) << Dim;
    }
};

} // namespace

TEST_F(HypreUnknowns, ElasticityIsSolved) {
    expect_the_displacements<2>({16, 6});
    expect_the_displacements<3>({6, 4, 3});
    expect_the_displacements<2>({2, 2}); // some ranks of more than four have no nodes
}

TEST_F(HypreUnknowns, ToldOfUnknownsBoomeramgTakesFewerIterations) {
    const auto iterations = [&](int unknowns_per_cell) {
        const ElasticBar<2> bar(comm, {64, 24}, unknowns_per_cell);
        return solve(bar, bar.make("u")).iterations;
    };
    const int plain = iterations(1), told = iterations(2);
    RecordProperty("not_told", plain);
    RecordProperty("told", told);
    EXPECT_LT(told, plain);
}

} // namespace distview::testing
