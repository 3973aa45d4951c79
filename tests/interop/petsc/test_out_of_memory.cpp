// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory ends on one rank while objects of PETSc are made, and while equations are solved.
#include "../../unit/comm/out_of_memory.hpp"
#include "stencil_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace distview::testing {

namespace {

/// Objects over a separate communicator that gives up: the component uses the numbering's communicator.
class PetscOutOfMemory : public ::testing::Test {
protected:
    static Communicator patient(MPI_Comm duplicate) {
        comm_with_petsc();
        Communicator comm(duplicate);
        comm.set_deadline(std::chrono::seconds(20));
        return comm;
    }

    const OwnedComm duplicate = duplicate_world();
    const Communicator comm = patient(duplicate.get());
    StencilProblem problem{comm,
                           ProcessGrid::balanced(comm.size(), 3),
                           {7, 8, 6},
                           {Side::zero, Side::periodic, Side::no_flux},
                           1};
    MatrixRows rows = problem.assembled();
    Field b = problem.make_random("b", 3), u = problem.make("u");
};

} // namespace

TEST_F(PetscOutOfMemory, InMatrices) {
    check_out_of_memory([&](const Communicator&) {
        const petsc::Matrix matrix = petsc::aij_matrix(rows);
        petsc::set_values(matrix, rows);
        return matrix.get() != nullptr;
    });
}

TEST_F(PetscOutOfMemory, InShellMatrices) {
    check_out_of_memory([&](const Communicator&) {
        return petsc::shell_matrix<double***>(
                   Exec(), problem.rows, [&](const Exec&, const auto&, const auto&) {}, b)
                   .get() != nullptr;
    });
}

TEST_F(PetscOutOfMemory, InVectors) {
    check_out_of_memory([&](const Communicator&) {
        const petsc::Vector vector = petsc::vector(problem.rows, b);
        const petsc::IndexSet indices = petsc::index_set(problem.rows);
        return petsc::layout_of(comm, vector.get()).size() == problem.rows.rows();
    });
}

TEST_F(PetscOutOfMemory, InSolutions) {
    const petsc::Matrix matrix = petsc::aij_matrix(rows);
    const petsc::Vector right = petsc::vector(problem.rows, b), x = petsc::vector(problem.rows, u);
    check_out_of_memory([&](const Communicator&) {
        std::fill_n(u.view().data(), u.view().size(), 0.);
        return petsc::solve(comm, matrix, right, x, {.preconditioner = "jacobi"}).converged;
    });
}

} // namespace distview::testing
