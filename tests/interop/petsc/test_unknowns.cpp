// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear elasticity: several unknowns per cell, whose number is passed to gamg.
#include "../elasticity.hpp"
#include "stencil_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

/// The place of each node, from which PETSc computes the directions of rigid body motions.
template <int Dim>
void set_rigid_body_modes(const ElasticBar<Dim>& bar, Mat matrix) {
    const petsc::Vector places =
        petsc::vector(bar.rows, bar.make("places", [](const auto& node, std::int64_t c) {
            return static_cast<double>(node[static_cast<std::size_t>(c)]);
        }));
    petsc::checked(bar.comm, "rigid body modes", [&]() -> int {
        MatNullSpace modes = nullptr;
        PetscCall(MatNullSpaceCreateRigidBody(places, &modes));
        PetscCall(MatSetNearNullSpace(matrix, modes));
        PetscCall(MatNullSpaceDestroy(&modes));
        return PETSC_SUCCESS;
    });
}

template <int Dim>
petsc::SolveResult solve(const ElasticBar<Dim>& bar, const typename ElasticBar<Dim>::Field& u,
                         bool with_modes = false) {
    const petsc::Matrix matrix = petsc::aij_matrix(bar.assembled());
    if (with_modes) set_rigid_body_modes(bar, matrix);
    return petsc::solve(bar.comm, matrix, petsc::vector(bar.rows, bar.weight()),
                        petsc::vector(bar.rows, u), {.preconditioner = "gamg", .tolerance = 1e-10});
}

template <int Dim>
void expect_the_displacements(const typename ElasticBar<Dim>::Node& n) {
    const ElasticBar<Dim> bar(comm_with_petsc(), n, Dim);
    for (const bool with_modes : {false, true}) {
        const auto u = bar.make("u");
        EXPECT_TRUE(solve(bar, u, with_modes).converged);
        EXPECT_LE(bar.error(u), 1e-6) << Dim << ' ' << with_modes;
    }
}

} // namespace

TEST(PetscUnknowns, ElasticityIsSolved) {
    expect_the_displacements<2>({16, 6});
    expect_the_displacements<3>({6, 4, 3});
    expect_the_displacements<2>({2, 2}); // some ranks of more than four have no nodes
}

TEST(PetscUnknowns, BlockSizesAreTold) {
    const ElasticBar<2> bar(comm_with_petsc(), {9, 4}, 2);
    const petsc::Matrix matrix = petsc::aij_matrix(bar.assembled()),
                        shell = petsc::shell_matrix<double***>(
                            Exec(), bar.rows, [](const Exec&, const auto& x, const auto& y) {
                                Kokkos::deep_copy(y.view(), x.view());
                            });
    const petsc::Vector b = petsc::vector(bar.rows, bar.weight());
    petsc::checked(bar.comm, "block sizes", [&]() -> int {
        PetscInt of_matrix = 0, of_shell = 0, of_vector = 0;
        PetscCall(MatGetBlockSize(matrix, &of_matrix));
        PetscCall(MatGetBlockSize(shell, &of_shell));
        PetscCall(VecGetBlockSize(b, &of_vector));
        EXPECT_EQ(of_matrix, 2);
        EXPECT_EQ(of_shell, 2);
        EXPECT_EQ(of_vector, 2);
        return PETSC_SUCCESS;
    });
    const auto u = bar.make("u");
    EXPECT_TRUE(petsc::solve(bar.comm, shell, b, petsc::vector(bar.rows, u)).converged);
    // The matrix keeps its block size, whatever number of unknowns the numbering of other values has.
    petsc::set_values(matrix, ElasticBar<2>(bar.comm, bar.n, 1).assembled());
    EXPECT_TRUE(petsc::solve(bar.comm, matrix, b, petsc::vector(bar.rows, u)).converged);
    EXPECT_LE(bar.error(u), 1e-6);
}

TEST(PetscUnknowns, ToldOfUnknownsGamgTakesFewerIterations) {
    const auto iterations = [](int unknowns_per_cell, bool with_modes) {
        const ElasticBar<2> bar(comm_with_petsc(), {64, 24}, unknowns_per_cell);
        return solve(bar, bar.make("u"), with_modes).iterations;
    };
    const int plain = iterations(1, false), told = iterations(2, false),
              modes = iterations(2, true);
    RecordProperty("not_told", plain);
    RecordProperty("told", told);
    RecordProperty("rigid_body_modes", modes);
    EXPECT_LT(told, plain);
    EXPECT_LE(modes, told);
}

} // namespace distview::testing
