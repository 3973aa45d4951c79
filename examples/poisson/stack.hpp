// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "linear_system.hpp"
#include "options.hpp"
#include "timing.hpp"

#include <memory>

namespace poisson {

/// Common input of all solver libraries: arrays without padding, the numbers of their cells, and the operator.
template <int Axes>
struct Stack {
    using System = LinearSystem<Axes, program::Exec>;

    /// Collective: over comm
    Stack(const program::Exec& on, const distview::Communicator& over, const Options& asked,
          const distview::ProcessGrid& grid)
        : exec(on), comm(over), options(asked), system(on, over, asked.shape, grid),
          rows(over, system.layout()), right_side(system.make_right_side(rows.layout())),
          u(system.make("u", rows.layout())) {}

    program::Exec exec;
    distview::Communicator comm;
    Options options;
    System system;
    distview::RowNumbering rows;
    typename System::Vector right_side;
    typename System::Vector u;
};

/// The iteration of one solver library, ready to run.
class StackSolver {
public:
    StackSolver() = default;
    virtual ~StackSolver() = default;
    StackSolver(const StackSolver&) = delete;
    StackSolver& operator=(const StackSolver&) = delete;

    /// Collective. Stores the result in Stack::u.
    virtual distview::ConjugateGradientResult solve() = 0;
};

/// Local.
///
/// Errors: distview::UsageError, with the command that provides the library, if the program was built without it
void require_stack(Solver solver);

/// Collective.
template <int Axes>
std::unique_ptr<StackSolver> make_solver(Stack<Axes>& stack);

// One file for each solver library, compiled if the library is found.
template <int Axes>
std::unique_ptr<StackSolver> make_petsc_solver(Stack<Axes>& stack);
template <int Axes>
std::unique_ptr<StackSolver> make_hypre_solver(Stack<Axes>& stack);
template <int Axes>
std::unique_ptr<StackSolver> make_belos_solver(Stack<Axes>& stack);

} // namespace poisson
