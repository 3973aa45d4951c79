// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PETSc's objects copy no array: memory copies are counted, whichever code makes them.
#include "../copy_counter.hpp"
#include "stencil_problem.hpp"

#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <petsclog.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

StencilProblem problem_of(const Communicator& comm) {
    return {comm,
            ProcessGrid::balanced(comm.size(), 3),
            {12, 11, 10},
            {Side::zero, Side::periodic, Side::no_flux},
            1};
}

std::size_t bytes_of(const Field& field) { return field.view().size() * sizeof(double); }

/// How often PETSc's profiling has seen an event.
int count_of(const Communicator& comm, const char* event) {
    PetscLogEvent number = -1;
    PetscEventPerfInfo info{};
    petsc::checked(comm, "count", [&]() -> int {
        PetscCall(PetscLogEventGetId(event, &number));
        EXPECT_GE(number, 0) << event;
        PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, number, &info));
        return PETSC_SUCCESS;
    });
    return info.count;
}

const std::vector<const char*> copying{"VecCopy", "VecSet", "VecScatterBegin"};

/// Runs an action and expects that neither PETSc nor Kokkos nor the C library copies elements of the field.
template <class Action>
void expect_no_copy(const Communicator& comm, const Field& field, const Action& action) {
    std::vector<int> before;
    for (const char* const event : copying) before.push_back(count_of(comm, event));
    const std::int64_t told = bytes_copied_at_the_door();
    KokkosEvents events;
    std::int64_t counted = 0;
    {
        const CopyCounter counter(field.view().data(), bytes_of(field));
        action();
        counted = counter.bytes();
    }
    events.stop();
    EXPECT_EQ(counted, 0);
    EXPECT_EQ(bytes_copied_at_the_door(), told);
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.deep_copies());
    EXPECT_TRUE(events.kernels().empty()) << describe(events.kernels());
    for (std::size_t e = 0; e < copying.size(); ++e)
        EXPECT_EQ(count_of(comm, copying[e]), before[e]) << copying[e];
}

} // namespace

// The counter sees copies by this program and by PETSc's library.
TEST(PetscCopies, AreSeenWhereTheyAre) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const Field u = problem.make_random("u", 3);
    std::vector<double> other(u.view().size());
    const petsc::Vector from = petsc::vector(problem.rows, u);
    Vec to = nullptr;
    petsc::checked(comm, "make", [&]() -> int {
        PetscCall(PetscLogDefaultBegin());
        PetscCall(VecDuplicate(from, &to));
        return PETSC_SUCCESS;
    });
    const petsc::Vector owner(to);
    const int before = count_of(comm, "VecCopy");
    const CopyCounter counter(u.view().data(), bytes_of(u));
    // The compiler must not know the size; otherwise it copies by itself.
    const volatile std::size_t bytes = bytes_of(u);
    std::memcpy(other.data(), u.view().data(), bytes);
    EXPECT_EQ(counter.bytes(), static_cast<std::int64_t>(bytes_of(u)));
    petsc::checked(comm, "copy", [&]() -> int {
        PetscCall(VecCopy(from, to));
        return PETSC_SUCCESS;
    });
    EXPECT_EQ(counter.bytes(), static_cast<std::int64_t>(2 * bytes_of(u)));
    EXPECT_EQ(count_of(comm, "VecCopy"), before + 1);
}

TEST(PetscCopies, NoneAtTheDoor) {
    const Communicator& comm = comm_with_petsc();
    petsc::checked(comm, "profile", [] { return int(PetscLogDefaultBegin()); });
    StencilProblem problem = problem_of(comm);
    const Field u = problem.make_random("u", 3);
    const Field diagonal = problem.make_random("diagonal", 4);
    Exec().fence("arrays are there");
    expect_no_copy(comm, u, [&] {
        const petsc::Vector vector = petsc::vector(problem.rows, u);
        petsc::checked(comm, "look", [&]() -> int {
            const double* found = nullptr;
            double* written = nullptr;
            PetscCall(VecGetArrayRead(vector, &found));
            EXPECT_EQ(found, u.view().data());
            PetscCall(VecRestoreArrayRead(vector, &found));
            PetscCall(VecGetArray(vector, &written));
            EXPECT_EQ(written, u.view().data());
            PetscCall(VecRestoreArray(vector, &written));
            return PETSC_SUCCESS;
        });
    });
    // With another operator than a StencilOperator, whose padded array a kernel fills with zeros.
    expect_no_copy(comm, diagonal, [&] {
        const petsc::Matrix shell = petsc::shell_matrix<double***>(
            Exec(), problem.rows, [](const Exec&, const auto&, const auto&) {}, diagonal);
    });
}

// The right side and the solution are read and written where they are, all the way through a solution.
TEST(PetscCopies, NoneOfTheVectorsInASolution) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const Field b = problem.make_random("b", 3), u = problem.make("u");
    const petsc::Matrix shell =
        petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil());
    for (const Field& watched : {b, u}) {
        Kokkos::deep_copy(Exec(), u.view(), 0);
        Exec().fence("the solution begins with zeros");
        const CopyCounter counter(watched.view().data(), bytes_of(watched));
        const auto result = petsc::solve(comm, shell, petsc::vector(problem.rows, b),
                                         petsc::vector(problem.rows, u));
        EXPECT_GT(result.iterations, 3);
        EXPECT_EQ(counter.bytes(), 0);
    }
}

} // namespace distview::testing
