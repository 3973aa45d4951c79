// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PETSc beside hypre in one program: whichever starts or stops first, both give the same answer from the same array.
#include "../cube_equations.hpp"

#include <distview/hypre.hpp>
#include <distview/petsc.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace distview::testing {

namespace {

const Communicator& world() {
    static const Communicator comm(MPI_COMM_WORLD);
    return comm;
}

using Values = std::vector<double>;

Values taken(const CubeArrays& arrays) {
    const double* const first = arrays.u.view().data();
    Values values(first, first + arrays.u.view().size());
    Kokkos::deep_copy(arrays.u.view(), 0);
    return values;
}

Values by_petsc(const CubeArrays& arrays, const MatrixRows& rows, const char* preconditioner) {
    petsc::solve(world(), petsc::aij_matrix(rows), petsc::vector(arrays.rows, arrays.b),
                 petsc::vector(arrays.rows, arrays.u),
                 {.preconditioner = preconditioner, .tolerance = 1e-12});
    return taken(arrays);
}
Values by_hypre(const CubeArrays& arrays, const MatrixRows& rows) {
    hypre::solve(world(), hypre::ij_matrix(rows), hypre::vector(arrays.rows, arrays.b),
                 hypre::vector(arrays.rows, arrays.u),
                 {.preconditioner = "boomeramg", .tolerance = 1e-12});
    return taken(arrays);
}

/// Both stacks, and hypre called by PETSc, give equal answers.
void expect_equal_answers() {
    const CubeArrays arrays(world(), {9, true});
    const MatrixRows rows = arrays.equations.assembled(arrays.rows);
    const Values expected = by_petsc(arrays, rows, "gamg");
    for (const Values& found :
         {by_hypre(arrays, rows), by_petsc(arrays, rows, "hypre"), by_hypre(arrays, rows)})
        for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-10);
}

using PetscSession = std::optional<petsc::Session>;
using HypreSession = std::optional<hypre::Session>;

} // namespace

TEST(StackOrder, PetscStartsAndStopsFirst) {
    PetscSession petsc(std::in_place, world());
    HypreSession hypre(std::in_place, world());
    expect_equal_answers();
    petsc.reset();
    EXPECT_FALSE(petsc::is_running());
    hypre.reset();
}

TEST(StackOrder, PetscStartsFirstAndStopsLast) {
    PetscSession petsc(std::in_place, world());
    HypreSession hypre(std::in_place, world());
    expect_equal_answers();
    hypre.reset();
    // PETSc starts hypre itself if it needs hypre.
    const CubeArrays arrays(world(), {9, true});
    const MatrixRows rows = arrays.equations.assembled(arrays.rows);
    const Values expected = by_petsc(arrays, rows, "gamg");
    const Values found = by_petsc(arrays, rows, "hypre");
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-10);
    petsc.reset();
    EXPECT_FALSE(petsc::is_running());
}

TEST(StackOrder, HypreStartsAndStopsFirst) {
    HypreSession hypre(std::in_place, world());
    PetscSession petsc(std::in_place, world());
    expect_equal_answers();
    hypre.reset();
    petsc.reset();
    EXPECT_FALSE(petsc::is_running());
}

TEST(StackOrder, HypreStartsFirstAndStopsLast) {
    HypreSession hypre(std::in_place, world());
    PetscSession petsc(std::in_place, world());
    expect_equal_answers();
    petsc.reset();
    EXPECT_FALSE(petsc::is_running());
    const CubeArrays arrays(world(), {9, false});
    const Values found = by_hypre(arrays, arrays.equations.assembled(arrays.rows));
    EXPECT_GT(std::abs(found.front()), 0);
    hypre.reset();
    EXPECT_FALSE(hypre::is_running());
}

// The last test: both still live when MPI ends.
TEST(StackOrder, BothMayLiveInMpiFinalize) {
    static HypreSession hypre;
    static PetscSession petsc;
    hypre.emplace(world());
    petsc.emplace(world());
    expect_equal_answers();
}

} // namespace distview::testing
