// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as vectors and dense matrices: PETSc works in their memory. Layouts from a Vec and an IS.
#include "stencil_problem.hpp"

#include <distview/algorithms/norm.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace distview::testing {

namespace {

StencilProblem problem_of(const Communicator& comm) {
    return {comm,
            ProcessGrid::balanced(comm.size(), 3),
            {7, 5, 6},
            {Side::zero, Side::zero, Side::zero},
            1};
}

} // namespace

TEST(PetscVectors, AreTheArraysOwnMemory) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const Field u = problem.make_random("u", 9);
    const std::int64_t copied = bytes_copied_at_the_door();
    const petsc::Vector vector = petsc::vector(problem.rows, u);
    const double* found = nullptr;
    double norm = 0;
    PetscInt count = 0, first = -1;
    petsc::checked(comm, "look", [&]() -> int {
        PetscCall(VecGetArrayRead(vector, &found));
        PetscCall(VecRestoreArrayRead(vector, &found));
        PetscCall(VecGetArrayRead(vector, &found));
        EXPECT_EQ(found, u.view().data());
        PetscCall(VecRestoreArrayRead(vector, &found));
        PetscCall(VecGetLocalSize(vector, &count));
        PetscCall(VecGetOwnershipRange(vector, &first, nullptr));
        PetscCall(VecNorm(vector, NORM_2, &norm));
        PetscCall(VecSet(vector, 3));
        return PETSC_SUCCESS;
    });
    EXPECT_EQ(count, problem.rows.local_rows());
    EXPECT_EQ(first, problem.rows.first_row());
    EXPECT_EQ(bytes_copied_at_the_door(), copied);
    const double ours = norm2(Exec(), comm, problem.make_random("u again", 9));
    EXPECT_NEAR(norm, ours, 1e-13 * ours);
    EXPECT_EQ(sum(Exec(), comm, u), 3.0 * 7 * 5 * 6);
}

TEST(PetscVectors, KeepTheirMemory) {
    const Communicator& comm = comm_with_petsc();
    petsc::Vector vector;
    std::weak_ptr<const void> memory;
    {
        const StencilProblem problem = problem_of(comm);
        Field u = problem.make_random("u", 4);
        memory = u.owner();
        vector = petsc::vector(problem.rows, u);
    }
    double norm = 0;
    petsc::checked(comm, "norm", [&]() -> int {
        PetscCall(VecNorm(vector, NORM_2, &norm));
        return PETSC_SUCCESS;
    });
    EXPECT_GT(norm, 1);
    EXPECT_FALSE(memory.expired());
    vector = petsc::Vector();
    EXPECT_TRUE(memory.expired());
}

TEST(PetscVectors, OfConstElementsAreLocked) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const DistView<const double***, Kokkos::LayoutRight, Kokkos::HostSpace> u =
        problem.make_random("u", 4);
    const petsc::Vector vector = petsc::vector(problem.rows, u);
    EXPECT_THROW_ON_ALL_RANKS(petsc::checked(comm, "write",
                                             [&]() -> int {
                                                 PetscCall(VecSet(vector, 1));
                                                 return PETSC_SUCCESS;
                                             }),
                              SolverError, "locked for read-only access");
}

TEST(PetscVectors, FieldsAreColumns) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const ProcessGrid grid = problem.layout.grid();
    const ArrayLayout layout(ProcessGrid{1, grid.extent(0), grid.extent(1), grid.extent(2)},
                             {block(4), block(7), block(5), block(6)});
    const auto fields = make_dist_view<double****, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "fields", comm, layout);
    fill_with(Exec(), fields, [](GlobalIndex c, GlobalIndex, GlobalIndex, GlobalIndex) {
        return static_cast<double>(c.value());
    });
    Exec().fence("fields are there");
    const petsc::Matrix matrix = petsc::dense_matrix(problem.rows, fields);
    std::vector<double> norms(4);
    petsc::checked(comm, "look", [&]() -> int {
        const double* found = nullptr;
        PetscCall(MatDenseGetArrayRead(matrix, &found));
        EXPECT_EQ(found, fields.view().data());
        PetscCall(MatDenseRestoreArrayRead(matrix, &found));
        PetscCall(MatGetColumnNorms(matrix, NORM_INFINITY, norms.data()));
        return PETSC_SUCCESS;
    });
    EXPECT_EQ(norms, (std::vector<double>{0, 1, 2, 3}));
    EXPECT_THROW_ON_ALL_RANKS(petsc::dense_matrix(problem.rows, problem.make("no fields")),
                              ShapeError, "petsc::dense_matrix: expected fields");
    // Padding is no field.
    const auto padded = make_dist_view<double****, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "padded", comm,
        ArrayLayout(layout.grid(),
                    {block(4, {.padding = 1, .periodic = true}), block(7), block(5), block(6)}));
    EXPECT_THROW_ON_ALL_RANKS(petsc::dense_matrix(problem.rows, padded), ShapeError,
                              "petsc::dense_matrix: expected fields");
}

TEST(PetscVectors, LayoutsBothWays) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const Field u = problem.make("u");
    const ArrayLayout ranges = petsc::layout_of(comm, petsc::vector(problem.rows, u));
    EXPECT_EQ(ranges.extent(0), 7 * 5 * 6);
    EXPECT_EQ(ranges.local_extents(comm.rank())[0], problem.rows.local_rows());
    EXPECT_EQ(ranges.owner(std::vector{GlobalIndex(0)}), problem.rows.owner(0));

    const RowNumbering global(comm, problem.layout, RowOrder::global);
    const petsc::IndexSet natural = petsc::index_set(global);
    const ArrayLayout labels = petsc::layout_of(comm, natural.get());
    EXPECT_EQ(labels.extent(0), 7 * 5 * 6);
    const RowNumbering of_labels(comm, labels);
    const auto expected = global.local_row_numbers();
    for (std::size_t cell = 0; cell < expected.size(); ++cell)
        EXPECT_EQ(of_labels.index(of_labels.row_of_cell(static_cast<std::int64_t>(cell)))[0],
                  expected[cell]);
    if (comm.size() == 1) return;
    IS shared = nullptr;
    petsc::checked(comm, "an index on all ranks", [&]() -> int {
        const PetscInt index = 0;
        PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, 1, &index, PETSC_COPY_VALUES, &shared));
        return PETSC_SUCCESS;
    });
    const petsc::IndexSet owner(shared);
    EXPECT_THROW_ON_ALL_RANKS(petsc::layout_of(comm, shared), UsageError,
                              "expected each index to have one owner, got 0 owned by processes ");
}

// On some of the ranks, while PETSC_COMM_WORLD has all of them.
TEST(PetscVectors, OfSomeRanks) {
    const Communicator& all = comm_with_petsc();
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, 0, &part);
    {
        Communicator comm(part);
        StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {6, 6, 6},
                               {Side::zero, Side::zero, Side::zero}, 1);
        const Field b = problem.make_random("b", 2), u = problem.make("u");
        const auto result = petsc::solve(
            comm, petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil()),
            petsc::vector(problem.rows, b), petsc::vector(problem.rows, u));
        EXPECT_TRUE(result.converged);
        comm.close();
    }
    MPI_Comm_free(&part);
}

} // namespace distview::testing
