// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear elasticity: several unknowns per cell, whose number is passed to MueLu.
#include "../elasticity.hpp"

#include <distview/tpetra.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

namespace distview::testing {

namespace {

template <int Dim>
tpetra::SolveResult solve(const ElasticBar<Dim>& bar, const typename ElasticBar<Dim>::Field& u) {
    const tpetra::Map map(bar.rows);
    return tpetra::solve(Kokkos::DefaultHostExecutionSpace(), tpetra::Matrix(map, bar.assembled()),
                         tpetra::MultiVector(map, bar.weight()), tpetra::MultiVector(map, u),
                         {.tolerance = 1e-10, .preconditioner = tpetra::Preconditioner::amg});
}

template <int Dim>
void expect_the_displacements(const typename ElasticBar<Dim>::Node& n) {
    const ElasticBar<Dim> bar(Communicator(MPI_COMM_WORLD), n, Dim);
    const auto u = bar.make("u");
    EXPECT_TRUE(solve(bar, u).converged);
    EXPECT_LE(bar.error(u), 1e-6) << Dim;
}

} // namespace

TEST(TpetraUnknowns, ElasticityIsSolved) {
    if (!tpetra::has_preconditioner(tpetra::Preconditioner::amg)) GTEST_SKIP() << "no MueLu";
    expect_the_displacements<2>({16, 6});
    expect_the_displacements<3>({6, 4, 3});
    expect_the_displacements<2>({2, 2}); // with more than four ranks, some have no nodes
}

TEST(TpetraUnknowns, ToldOfUnknownsMueLuTakesFewerIterations) {
    if (!tpetra::has_preconditioner(tpetra::Preconditioner::amg)) GTEST_SKIP() << "no MueLu";
    const auto iterations = [](int unknowns_per_cell) {
        const ElasticBar<2> bar(Communicator(MPI_COMM_WORLD), {64, 24}, unknowns_per_cell);
        return solve(bar, bar.make("u")).iterations;
    };
    const int plain = iterations(1), told = iterations(2);
    RecordProperty("not_told", plain);
    RecordProperty("told", told);
    EXPECT_LT(told, plain);
}

} // namespace distview::testing
