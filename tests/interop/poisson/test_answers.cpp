// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example program gives the same answer with each solver stack of the build and with ConjugateGradient. The
// answer's error falls to a quarter if n doubles.
#include "solve.hpp"
#include "stack.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using poisson::Options;
using poisson::Precondition;
using poisson::Sides;
using poisson::Solver;
using Stack = poisson::Stack<3>;

bool is_built(Solver solver) {
    try {
        poisson::require_stack(solver);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

/// One way to solve the equations.
struct Way {
    Solver solver;
    Precondition precondition;
    bool assembled;

    std::string name() const {
        return std::string(poisson::to_string(solver)) + " " + poisson::to_string(precondition) +
               (assembled ? " assembled" : " matrix-free");
    }
};

std::vector<Way> all_ways() {
    std::vector<Way> ways;
    for (const Solver solver : {Solver::petsc, Solver::hypre, Solver::belos}) {
        if (!is_built(solver)) continue;
        for (const Precondition precondition :
             {Precondition::none, Precondition::jacobi, Precondition::amg})
            for (const bool assembled : {false, true}) {
                const bool needs_matrix =
                    solver == Solver::hypre || precondition == Precondition::amg;
                if (assembled || !needs_matrix) ways.push_back({solver, precondition, assembled});
            }
    }
    return ways;
}

Options options_of(const std::array<std::int64_t, 3>& n, const std::array<Sides, 3>& sides,
                   poisson::Coefficient coefficient) {
    Options options;
    for (std::size_t d = 0; d < 3; ++d) {
        options.shape.n[d] = n[d];
        options.shape.sides[d] = sides[d];
    }
    options.shape.coefficient = coefficient;
    options.tolerance = 1e-13;
    return options;
}

/// The cells of this rank in C order, and the greatest error on all ranks.
struct Answer {
    std::vector<double> u;
    double error = 0;
};

/// Subtracts the mean over all ranks: without walls, answers are determined up to a constant.
void take_mean_off(const Communicator& comm, std::int64_t cells, std::vector<double>& u) {
    double sum = 0;
    for (const double each : u) sum += each;
    const double mean = all_reduce(comm, ReduceOperation::sum, sum) / static_cast<double>(cells);
    for (double& each : u) each -= mean;
}

Answer answer_of(const Communicator& comm, Options options, const Way& way) {
    options.solver = way.solver;
    options.precondition = way.precondition;
    options.assembled = way.assembled;
    Stack stack(program::Exec(), comm, options, ProcessGrid::balanced(comm.size(), 3));
    const std::int64_t before = bytes_copied_at_the_door();
    if (way.solver == Solver::cg) {
        auto arrays =
            make_solver_arrays<double***>(program::Exec(), "u", comm, stack.system.layout());
        ConjugateGradient<Stack::System::Vector> solver(
            stack.exec, comm, stack.system.layout(),
            {.tolerance = options.tolerance, .max_iterations = options.max_iterations});
        EXPECT_TRUE(solver
                        .solve(stack.exec, stack.system.stencil(), stack.system.jacobi(),
                               stack.system.right_side(), arrays.padded)
                        .converged());
        arrays.unpad(stack.exec);
        Kokkos::deep_copy(stack.exec, stack.u.view(), arrays.unpadded.view());
        stack.exec.fence("the library's own answer is there");
    } else {
        const auto found = poisson::make_solver(stack)->solve();
        EXPECT_TRUE(found.converged());
    }
    // If hypre cannot use the arrays' memory, b and u are copied to hypre, and u is copied back.
    const std::int64_t copied = bytes_copied_at_the_door() - before;
    EXPECT_TRUE(copied == 0 ||
                (way.solver == Solver::hypre && copied == 3 * 8 * stack.rows.local_rows()))
        << copied;
    Answer answer{{}, stack.system.error(stack.u)};
    answer.u.assign(stack.u.view().data(), stack.u.view().data() + stack.u.view().size());
    if (options.shape.is_singular()) take_mean_off(comm, stack.rows.rows(), answer.u);
    return answer;
}

double greatest_difference(const Communicator& comm, const Answer& a, const Answer& b) {
    double most = 0;
    for (std::size_t n = 0; n < a.u.size(); ++n) most = std::max(most, std::abs(a.u[n] - b.u[n]));
    return all_reduce(comm, ReduceOperation::max, most);
}

constexpr Sides walls = Sides::walls, periodic = Sides::periodic, neumann = Sides::neumann;

} // namespace

TEST(PoissonStacks, AnswersAgree) {
    set_test_timeout(110);
    const Communicator comm(MPI_COMM_WORLD);
    ASSERT_FALSE(all_ways().empty());
    const Way own{Solver::cg, Precondition::jacobi, false};
    using Coefficient = poisson::Coefficient;
    for (const Options& options :
         {options_of({23, 17, 12}, {walls, walls, walls}, Coefficient::smooth),
          options_of({13, 17, 12}, {walls, periodic, neumann}, Coefficient::jumping),
          options_of({11, 13, 12}, {neumann, periodic, neumann}, Coefficient::smooth)}) {
        const Answer expected = answer_of(comm, options, own);
        for (const Way& way : all_ways()) {
            SCOPED_TRACE(way.name());
            const Answer found = answer_of(comm, options, way);
            EXPECT_LE(greatest_difference(comm, expected, found), 1e-10);
            EXPECT_NEAR(expected.error, found.error, 1e-10);
        }
    }
}

TEST(PoissonStacks, ErrorsFallToAQuarter) {
    set_test_timeout(110);
    const Communicator comm(MPI_COMM_WORLD);
    std::vector<Way> ways = all_ways();
    std::erase_if(ways, [](const Way& way) { return way.precondition == Precondition::none; });
    ways.push_back({Solver::cg, Precondition::jacobi, false});
    for (const Way& way : ways) {
        SCOPED_TRACE(way.name());
        const auto error = [&](std::int64_t times) {
            return answer_of(comm,
                             options_of({13 * times, 11 * times, 12 * times},
                                        {walls, periodic, neumann}, poisson::Coefficient::smooth),
                             way)
                .error;
        };
        const double factor = error(1) / error(2);
        EXPECT_GT(factor, 3.6);
        EXPECT_LT(factor, 4.4);
    }
}

} // namespace distview::testing
