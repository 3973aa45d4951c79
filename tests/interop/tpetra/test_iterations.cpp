// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The component needs as many iterations as a program that calls Trilinos directly.
#include "../cube_equations.hpp"

#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>

#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_ParameterList.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace distview::testing {

namespace {

using Map = Tpetra::Map<>;
using Matrix = Tpetra::CrsMatrix<double>;
using Vectors = Tpetra::MultiVector<double>;
using Op = Tpetra::Operator<double>;

/// Number of iterations of Belos' conjugate gradients, with calls of Trilinos alone.
int plain_iterations(const CubeEquations& equations, std::size_t mine, bool with_multigrid) {
    const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
    const auto all = static_cast<Tpetra::global_size_t>(equations.n * equations.n * equations.n);
    const auto map = Teuchos::rcp(new const Map(all, mine, 0, comm));
    const auto a = Teuchos::rcp(new Matrix(map, 7));
    const auto b = Teuchos::rcp(new Vectors(map, 1)), u = Teuchos::rcp(new Vectors(map, 1));
    for (std::size_t l = 0; l < mine; ++l) {
        const auto row = map->getGlobalElement(static_cast<int>(l));
        const CubeEquations::Row entries = equations.row(row);
        const std::vector<Map::global_ordinal_type> columns(entries.columns.begin(),
                                                            entries.columns.end());
        a->insertGlobalValues(row, static_cast<int>(columns.size()), entries.values.data(),
                              columns.data());
        b->replaceLocalValue(static_cast<int>(l), 0, equations.right_side(row));
    }
    a->fillComplete();
    using Problem = Belos::LinearProblem<double, Vectors, Op>;
    const auto problem = Teuchos::rcp(new Problem(a, u, b));
    if (with_multigrid) {
        Teuchos::ParameterList list;
        list.set("verbosity", "none");
        const Teuchos::RCP<Op> op = a;
        problem->setLeftPrec(
            MueLu::CreateTpetraPreconditioner<double, Map::local_ordinal_type,
                                              Map::global_ordinal_type, Map::node_type>(op, list));
    }
    problem->setHermitian();
    problem->setProblem();
    const auto parameters = Teuchos::rcp(new Teuchos::ParameterList);
    parameters->set("Convergence Tolerance", 1e-8);
    parameters->set("Maximum Iterations", 1000);
    parameters->set("Implicit Residual Scaling", "Norm of RHS");
    Belos::PseudoBlockCGSolMgr<double, Vectors, Op> solver(problem, parameters);
    EXPECT_EQ(solver.solve(), Belos::Converged);
    return solver.getNumIters();
}

TEST(TpetraIterations, AreThoseOfTrilinosOwnCalls) {
    set_test_timeout(290);
    const Communicator comm(MPI_COMM_WORLD);
    for_each_cube([&](const CubeEquations& equations) {
        const CubeArrays arrays(comm, equations);
        const tpetra::Map map(arrays.rows);
        const tpetra::Matrix a(map, equations.assembled(arrays.rows));
        for (const bool with_multigrid : {false, true}) {
            if (!with_multigrid && equations.n > 64) continue; // takes minutes
            Kokkos::deep_copy(arrays.u.view(), 0);
            const auto ours =
                tpetra::solve(CubeArrays::Exec(), a, tpetra::MultiVector(map, arrays.b),
                              tpetra::MultiVector(map, arrays.u),
                              {.tolerance = 1e-8,
                               .preconditioner = with_multigrid ? tpetra::Preconditioner::amg
                                                                : tpetra::Preconditioner::none});
            const int theirs = plain_iterations(
                equations, static_cast<std::size_t>(arrays.rows.local_rows()), with_multigrid);
            EXPECT_EQ(ours.iterations, theirs);
            EXPECT_GE(theirs, 1); // MueLu solves the smaller cube exactly, on one level
            tell_iterations(comm, equations, with_multigrid ? "muelu" : "none", ours.iterations,
                            theirs);
        }
    });
}

} // namespace

} // namespace distview::testing
