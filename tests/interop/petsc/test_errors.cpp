// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong use is one error, the same on all ranks.
#include "../other_communicators.hpp"
#include "stencil_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

StencilProblem problem_of(const Communicator& comm, double shift = 1) {
    return {comm,
            ProcessGrid::balanced(comm.size(), 3),
            {7, 8, 6},
            {Side::zero, Side::zero, Side::zero},
            shift};
}

} // namespace

// The first test of the program: nothing has started PETSc yet.
TEST(PetscErrors, BeforeTheSession) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_FALSE(petsc::is_running());
    const StencilProblem problem = problem_of(comm);
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, problem.make("u")), UsageError,
                              "expected PETSc to be initialised");
    {
        const petsc::Session session(comm);
        EXPECT_TRUE(petsc::is_running());
        const petsc::Session within(comm); // leaves PETSc alone
    }
    EXPECT_FALSE(petsc::is_running());
}

// Objects may outlive PETSc, and arrays may outlive objects.
TEST(PetscErrors, AnyOrderOfDestruction) {
    const Communicator comm(MPI_COMM_WORLD);
    petsc::Vector late;
    std::weak_ptr<const void> memory;
    {
        const petsc::Session session(comm);
        const StencilProblem problem = problem_of(comm);
        const Field u = problem.make("u");
        memory = u.owner();
        const petsc::Vector early = petsc::vector(problem.rows, u);
        late = petsc::vector(problem.rows, u);
    }
    EXPECT_FALSE(petsc::is_running());
    EXPECT_TRUE(memory.expired()); // the session destroyed the remaining objects of PETSc
}

// Operators are destroyed with their matrices, and may keep objects of PETSc made before or after the matrices.
TEST(PetscErrors, OperatorsThatOwnHandles) {
    const Communicator comm(MPI_COMM_WORLD);
    petsc::Matrix late;
    std::weak_ptr<const void> early_memory, late_memory;
    {
        const petsc::Session session(comm);
        const StencilProblem problem = problem_of(comm);
        const auto make = [&](std::weak_ptr<const void>& memory) {
            const Field u = problem.make("u");
            memory = u.owner();
            return petsc::vector(problem.rows, u);
        };
        auto owned = std::make_shared<std::vector<petsc::Vector>>();
        owned->push_back(make(early_memory));
        late = petsc::shell_matrix<double***>(Exec(), problem.rows,
                                              [owned](const Exec&, const auto&, const auto&) {});
        owned->push_back(make(late_memory));
    }
    EXPECT_FALSE(petsc::is_running());
    EXPECT_EQ(late.get(), nullptr);
    EXPECT_TRUE(early_memory.expired());
    EXPECT_TRUE(late_memory.expired());
}

// PETSc does not copy the strings of the command line.
TEST(PetscErrors, WordsOfTheCommandLine) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::string name = "the name of a program that is longer than what a string holds itself";
    const char* const given[] = {name.c_str(), "word"};
    const petsc::Session session(comm, 2, given);
    int count = 0;
    char** words = nullptr;
    petsc::checked(comm, "look", [&]() -> int {
        PetscCall(PetscGetArgs(&count, &words));
        return PETSC_SUCCESS;
    });
    ASSERT_ON_ALL_RANKS(count == 3); // with the session's -no_signal_handler
    EXPECT_EQ(words[0], name);
    EXPECT_STREQ(words[1], "word");
}

TEST(PetscErrors, LeavesSignalHandlersAlone) {
    struct sigaction before = {}, during = {};
    sigaction(SIGFPE, nullptr, &before);
    const Communicator comm(MPI_COMM_WORLD);
    const petsc::Session session(comm);
    sigaction(SIGFPE, nullptr, &during);
    EXPECT_EQ(before.sa_handler, during.sa_handler);
}

// Handles that outlive a run of PETSc are empty, and do not touch objects of a later run at the same addresses.
TEST(PetscErrors, HandlesOfAnEarlierRun) {
    const Communicator comm(MPI_COMM_WORLD);
    const StencilProblem problem = problem_of(comm);
    const Field u = problem.make_random("u", 5);
    std::vector<petsc::Vector> early, late;
    for (const bool by_the_program : {false, true}) {
        std::optional<petsc::Session> session;
        if (by_the_program)
            PetscInitializeNoArguments();
        else
            session.emplace(comm);
        for (int k = 0; k < 3; ++k) early.push_back(petsc::vector(problem.rows, u));
        EXPECT_NE(early.back().get(), nullptr);
        if (!by_the_program) continue;
        for (std::size_t k = 3; k < 6; ++k) {
            Vec gone = early[k];
            VecDestroy(&gone);
        }
        PetscFinalize();
    }
    for (const petsc::Vector& vector : early) EXPECT_EQ(vector.get(), nullptr);
    const petsc::Session session(comm);
    for (int k = 0; k < 6; ++k) late.push_back(petsc::vector(problem.rows, u));
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, early[0], late[0]), UsageError,
                              "petsc::solve: expected an object of PETSc, got none");
    early.clear();
    for (const petsc::Vector& vector : late) {
        double norm = 0;
        petsc::checked(comm, "norm", [&]() -> int {
            PetscCall(VecNorm(vector, NORM_2, &norm));
            return PETSC_SUCCESS;
        });
        EXPECT_GT(norm, 1);
    }
}

TEST(PetscErrors, StartedOnSomeRanksOnly) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP();
    const StencilProblem problem = problem_of(comm);
    if (comm.rank() == 0) {
        PETSC_COMM_WORLD = MPI_COMM_SELF;
        PetscInitializeNoArguments();
    }
    EXPECT_THROW_ON_ALL_RANKS(const petsc::Session session(comm), UsageError,
                              "all ranks or on none, got it initialised on some");
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, problem.make("u")), UsageError,
                              "expected PETSc to be initialised");
    if (comm.rank() == 0) PetscFinalize();
}

TEST(PetscErrors, PaddedArray) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const auto padded = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "u", comm, problem.layout);
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, padded), ShapeError,
                              "petsc::vector: expected an array without padding");
    const auto left = make_dist_view<double***, Kokkos::LayoutLeft, Kokkos::HostSpace>(
        Exec(), "v", comm, problem.rows.layout());
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, left), ShapeError,
                              "expected cells in C order");
    // On one rank alone.
    const Field bare = problem.make("w");
    const auto own = [&] {
        return comm.rank() == 0 ? petsc::vector(problem.rows, padded)
                                : petsc::vector(problem.rows, bare);
    };
    EXPECT_THROW_ON_ALL_RANKS(own(), ShapeError, "expected an array without padding");
}

// Faults that a stack would detect on one rank while the other ranks wait.
TEST(PetscErrors, RowsThatAreNone) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(24)}));
    const MatrixRows good =
        assemble(rows, [](MatrixRow& row, GlobalIndex) { row.add(1, {0}), row.add(1, {1}); });
    const auto expect = [&](auto&& spoil, const char* words) {
        MatrixRows spoilt = good;
        if (comm.rank() == comm.size() - 1) spoil(spoilt);
        EXPECT_THROW_ON_ALL_RANKS(petsc::aij_matrix(spoilt), UsageError, words);
    };
    expect([](MatrixRows& m) { m.columns[0] = 24; }, "expected columns from 0 to 23");
    expect([](MatrixRows& m) { m.columns[0] = -1; },
           "in ascending order within a row, got -1 as the first column in row ");
    expect([](MatrixRows& m) { m.columns[1] = m.columns[0]; }, "in ascending order within a row");
    expect([](MatrixRows& m) { m.offsets.pop_back(); }, "rows on this rank, got");
    expect([](MatrixRows& m) { m.offsets[0] = 1; }, "expected offsets that ascend from 0");
    expect([](MatrixRows& m) { m.offsets[1] = m.offsets[2] + 1; }, "expected offsets that ascend");
    expect([](MatrixRows& m) { m.offsets.back() += 1; }, "to the number of entries");
    expect([](MatrixRows& m) { m.values.pop_back(); }, "columns and ");
}

TEST(PetscErrors, OtherStencil) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    StencilProblem other(comm, problem.layout.grid(), {7, 8, 7},
                         {Side::zero, Side::zero, Side::zero}, 1);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::shell_matrix<double***>(Exec(), problem.rows, other.stencil()), UsageError,
        "petsc::shell_matrix: expected a stencil whose plan has the numbering's layout");
    const auto nothing = [](const Exec&, const auto&, const auto&) {};
    EXPECT_THROW_ON_ALL_RANKS(petsc::shell_matrix<double**>(Exec(), problem.rows, nothing),
                              ShapeError,
                              "petsc::shell_matrix: expected a DataType of 3 axes (the numbering's "
                              "layout), got 2");
}

TEST(PetscErrors, WrongSizes) {
    const Communicator& comm = comm_with_petsc();
    const auto rows_of = [&](std::int64_t n, std::int64_t first_has_more) {
        std::vector<std::int64_t> bounds;
        for (int p = 0; p <= comm.size(); ++p) bounds.push_back(p * n);
        if (comm.size() > 1) bounds[1] += first_has_more;
        return RowNumbering(comm, ArrayLayout(ProcessGrid{comm.size()}, {block_bounds(bounds)}));
    };
    const auto vector_of = [&](const RowNumbering& rows) {
        return petsc::vector(rows, make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
                                       Exec(), "u", comm, rows.layout()));
    };
    const RowNumbering rows = rows_of(5, 0);
    const petsc::Matrix matrix =
        petsc::aij_matrix(assemble(rows, [](MatrixRow& row, GlobalIndex) { row.add(1, {0}); }));
    const petsc::Vector fits = vector_of(rows), longer = vector_of(rows_of(6, 0));
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, longer, fits), ShapeError,
                              "petsc::solve: expected a right side of 5 and a solution of 5");
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, fits, longer), ShapeError,
                              "as the matrix has rows and columns, got 5 and 6");
    if (comm.size() == 1) return;
    // The same length in total, and on ranks from 2 on.
    const petsc::Vector shifted = vector_of(rows_of(5, 1));
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, shifted, fits), ShapeError, "got 6 and 5");
}

TEST(PetscErrors, EmptyHandles) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const petsc::Vector u = petsc::vector(problem.rows, problem.make("u")), none;
    const petsc::Matrix a = petsc::aij_matrix(problem.assembled()), no_matrix;
    const char* const words =
        "petsc::solve: expected an object of PETSc, got none: the handle is empty";
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, no_matrix, u, u), UsageError, words);
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, a, none, u), UsageError, words);
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, a, u, comm.rank() == 0 ? none.get() : u.get()),
                              UsageError, words);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::set_constant_null_space(problem.rows, no_matrix), UsageError,
        "petsc::set_constant_null_space: expected an object of PETSc, got none");
    EXPECT_THROW_ON_ALL_RANKS(petsc::layout_of(comm, none.get()), UsageError,
                              "petsc::layout_of: expected an object of PETSc, got none");
}

TEST(PetscErrors, ConstSolution) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const petsc::Matrix a = petsc::aij_matrix(problem.assembled());
    const petsc::Vector b = petsc::vector(problem.rows, problem.make_random("b", 6));
    const DistView<const double***, Kokkos::LayoutRight, Kokkos::HostSpace> fixed =
        problem.make("fixed");
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, a, b, petsc::vector(problem.rows, fixed)),
                              UsageError, "expected a writable solution x");
}

TEST(PetscErrors, OtherNumbering) {
    const Communicator& comm = comm_with_petsc();
    const ProcessGrid grid{1, 1, comm.size()};
    StencilProblem problem(comm, grid, {7, 8, 12}, {Side::zero, Side::zero, Side::zero}, 1);
    const RowNumbering global(comm, problem.layout, RowOrder::global);
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(petsc::vector(global, problem.make("u")), UsageError,
                                  "RowOrder::by_rank");
    }
    // More rows than a PetscInt counts: nothing is allocated for them.
    if constexpr (sizeof(PetscInt) == 4) {
        const RowNumbering many(comm,
                                ArrayLayout(ProcessGrid{comm.size()}, {cyclic(3'000'000'000)}));
        EXPECT_THROW_ON_ALL_RANKS(petsc::index_set(many), UsageError,
                                  "expected at most 2147483647 rows");
    }
}

TEST(PetscErrors, OtherCommunicator) {
    const Communicator& comm = comm_with_petsc();
    const Communicator self(MPI_COMM_SELF);
    const StencilProblem alone(self, ProcessGrid{1, 1, 1}, {4, 4, 4},
                               {Side::zero, Side::zero, Side::zero}, 1);
    const petsc::Vector vector = petsc::vector(alone.rows, alone.make("u"));
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(petsc::layout_of(comm, vector.get()), UsageError,
                                  "expected an object over the communicator's");
        StencilProblem problem = problem_of(comm);
        const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
        const char* const words = "petsc::solve: expected an object over the communicator's";
        EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, vector, vector), UsageError, words);
        const petsc::Vector u = petsc::vector(problem.rows, problem.make("u"));
        EXPECT_THROW_ON_ALL_RANKS(petsc::solve(self, matrix, u, u), UsageError, words);
        const petsc::Matrix alone_too = petsc::aij_matrix(alone.assembled());
        EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, alone_too, vector, vector), UsageError, words);
        EXPECT_THROW_ON_ALL_RANKS(
            petsc::set_constant_null_space(problem.rows, alone_too), UsageError,
            "petsc::set_constant_null_space: expected an object over the communicator's");
    }
}

// Layouts and sizes are the same.
TEST(PetscErrors, OtherOrderOfRanks) {
    const Communicator& comm = comm_with_petsc();
    if (comm.size() == 1) GTEST_SKIP();
    const OtherRanks reverse(comm, 0, -comm.rank());
    const Communicator& backwards = reverse.comm;
    const ArrayLayout line(ProcessGrid{comm.size()}, {block(12 * comm.size())}),
        fields(ProcessGrid{1, comm.size()}, {block(2), block(12 * comm.size())});
    const RowNumbering rows(comm, line);
    const auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u",
                                                                                   backwards, line);
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(rows, u), ShapeError, "without padding of process ");
    const auto two = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "two", backwards, fields);
    EXPECT_THROW_ON_ALL_RANKS(petsc::dense_matrix(rows, two), ShapeError,
                              "petsc::dense_matrix: expected fields");
    const petsc::Vector vector = petsc::vector(RowNumbering(backwards, line), u);
    EXPECT_THROW_ON_ALL_RANKS(petsc::layout_of(comm, vector.get()), UsageError,
                              "ranks in the same order");
}

TEST(PetscErrors, SolverDiverges) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm, 1e-6);
    const Field b = problem.make_random("b", 8), u = problem.make("u");
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const auto solve = [&](const petsc::SolveOptions& options) {
        return petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                            petsc::vector(problem.rows, u), options);
    };
    EXPECT_THROW_ON_ALL_RANKS(solve({.max_iterations = 3}), SolverError, "DIVERGED_ITS");
    EXPECT_FALSE(solve({.max_iterations = 3, .has_to_converge = false}).converged);
    EXPECT_THROW_ON_ALL_RANKS(solve({.method = "no such method"}), SolverError, "no such method");
    EXPECT_THROW_ON_ALL_RANKS(solve({.preconditioner = "no such one"}), SolverError, "no such one");
    EXPECT_THROW_ON_ALL_RANKS(
        solve({.max_iterations = -7}), UsageError,
        "expected a tolerance >= 0 and max_iterations >= 0, got 1e-10 and -7");
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(solve({.max_iterations = 3 + comm.rank()}), UsageError,
                                  "max_iterations");
        EXPECT_THROW_ON_ALL_RANKS(solve({.has_to_converge = comm.rank() == 0}), UsageError,
                                  "has_to_converge");
    }
}

/// A right side of ones, and a solution that begins with zeros.
auto right_side_and_solution(const RowNumbering& rows) {
    const auto make = [&](const char* label) {
        return make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), label, rows.communicator(), rows.layout());
    };
    const auto b = make("b"), u = make("u");
    fill(Exec(), b, 1);
    Exec().fence("the right side is there");
    return std::pair(b, u);
}

TEST(PetscErrors, IndefiniteMatrix) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(24)}));
    const petsc::Matrix matrix = petsc::aij_matrix(assemble(
        rows, [](MatrixRow& row, GlobalIndex i) { row.add(i.value() % 2 ? 1 : -2, {0}); }));
    const auto [b, u] = right_side_and_solution(rows);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u)), SolverError,
        "got DIVERGED_INDEFINITE_MAT with a residual of ");
}

// NaN in a right side, a matrix or an initial solution, on one rank alone.
TEST(PetscErrors, NumbersThatAreNone) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool spoils = comm.rank() == comm.size() - 1;
    const petsc::Matrix good = petsc::aij_matrix(problem.assembled());
    MatrixRows rows = problem.assembled();
    if (spoils) rows.values[0] = nan;
    const petsc::Matrix bad = petsc::aij_matrix(rows);
    for (const int which : {0, 1, 2}) {
        const Field b = problem.make_random("b", 8), u = problem.make_random("u", 9);
        if (spoils && which < 2) (which == 0 ? b : u).view().data()[0] = nan;
        EXPECT_THROW_ON_ALL_RANKS(
            petsc::solve(comm, which == 2 ? bad : good, petsc::vector(problem.rows, b),
                         petsc::vector(problem.rows, u), {.preconditioner = "jacobi"}),
            SolverError, "petsc::solve: ");
    }
}

TEST(PetscErrors, ZeroPivot) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(24)}));
    // A row whose only coefficient is a zero on the diagonal: elimination meets it at once.
    const petsc::Matrix matrix =
        petsc::aij_matrix(assemble(rows, [](MatrixRow& row, GlobalIndex i) {
            row.add(i == 0 ? 0 : 2, {0});
            if (i > 1) row.add(-1, {-1});
            if (i > 0) row.add(-1, {1});
        }));
    const auto [b, u] = right_side_and_solution(rows);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u),
                     {.method = "gmres", .preconditioner = "bjacobi"}),
        SolverError, "got DIVERGED_PC_FAILED, FACTOR_NUMERIC_ZEROPIVOT with a residual");
    // No iteration was made: that is an error beyond missing convergence.
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u),
                     {.method = "gmres", .preconditioner = "bjacobi", .has_to_converge = false}),
        SolverError, "FACTOR_NUMERIC_ZEROPIVOT");
}

// PETSc would fail on the rank with that row, and the others would wait.
TEST(PetscErrors, RowWithoutADiagonal) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(24)}));
    const auto with_empty = [&](std::int64_t empty) {
        return petsc::aij_matrix(assemble(rows, [&](MatrixRow& row, GlobalIndex i) {
            if (i == empty) return;
            row.add(2, {0});
            if (i > 0) row.add(-1, {-1});
            if (i < 23) row.add(-1, {1});
        }));
    };
    const auto [b, u] = right_side_and_solution(rows);
    for (const std::int64_t empty : {0, 23}) {
        const petsc::Matrix matrix = with_empty(empty);
        for (const char* const name : {"bjacobi", "gamg", "asm"}) {
            const petsc::SolveOptions options{.preconditioner = name};
            const std::string what = text(": ", name,
                                          ": expected an entry on the diagonal of each row, got "
                                          "none in row ",
                                          empty);
            EXPECT_THROW_ON_ALL_RANKS(
                petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u), options),
                SolverError, "petsc::solve" + what);
            EXPECT_THROW_ON_ALL_RANKS(petsc::Solver(comm, matrix, options), SolverError,
                                      "petsc::Solver" + what);
        }
    }
    const petsc::Matrix regular = with_empty(-1);
    EXPECT_TRUE(petsc::solve(comm, regular, petsc::vector(rows, b), petsc::vector(rows, u),
                             {.preconditioner = "bjacobi"})
                    .converged);
}

// gmres would read an overwritten right side at a restart.
TEST(PetscErrors, RightSideAndSolutionAreTwoArrays) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const Field u = problem.make_random("u", 8);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, matrix, petsc::vector(problem.rows, u), petsc::vector(problem.rows, u)),
        UsageError,
        "petsc::solve: expected b and x in separate memory, got arrays that share memory");
}

// A direct solver ignores the initial x.
TEST(PetscErrors, PreonlyIsNone) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const Field b = problem.make_random("b", 8), u = problem.make_random("u", 9);
    const auto result = petsc::solve(comm, petsc::aij_matrix(problem.assembled()),
                                     petsc::vector(problem.rows, b), petsc::vector(problem.rows, u),
                                     {.method = "preonly", .preconditioner = "redundant"});
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_EQ(result.iterations, 1);
}

// An operator's exception passes PETSc as an error code, and arrives unchanged.
TEST(PetscErrors, OperatorThrows) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const Field b = problem.make_random("b", 8), u = problem.make("u");
    const auto throwing = [](const Exec&, const auto&, const auto&) {
        throw ShapeError("no such operator");
    };
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, petsc::shell_matrix<double***>(Exec(), problem.rows, throwing),
                     petsc::vector(problem.rows, b), petsc::vector(problem.rows, u)),
        ShapeError, "no such operator");
    // Vectors that PETSc was reading meanwhile can be written again.
    const petsc::Vector kept_b = petsc::vector(problem.rows, b),
                        kept_u = petsc::vector(problem.rows, u);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, petsc::shell_matrix<double***>(Exec(), problem.rows, throwing), kept_b,
                     kept_u),
        ShapeError, "no such operator");
    EXPECT_TRUE(
        petsc::solve(comm, petsc::aij_matrix(problem.assembled()), kept_b, kept_u).converged);
    EXPECT_NO_THROW(petsc::checked(comm, "write", [&]() -> int {
        PetscCall(VecSet(kept_b, 1));
        PetscCall(VecSet(kept_u, 1));
        return PETSC_SUCCESS;
    }));
}

TEST(PetscErrors, PrintNothing) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const petsc::Vector b = petsc::vector(problem.rows, problem.make("b"));
    const petsc::Vector u = petsc::vector(problem.rows, problem.make("u"));
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    EXPECT_THROW(petsc::solve(comm, matrix, b, u, {.method = "no such method"}), SolverError);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

} // namespace distview::testing
