// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack.hpp"

namespace poisson {

namespace {

#ifdef POISSON_HAS_PETSC
constexpr bool has_petsc = true;
#else
constexpr bool has_petsc = false;
#endif
#ifdef POISSON_HAS_HYPRE
constexpr bool has_hypre = true;
#else
constexpr bool has_hypre = false;
#endif
#ifdef POISSON_HAS_BELOS
constexpr bool has_belos = true;
#else
constexpr bool has_belos = false;
#endif

void require_built(bool is_built, const char* option, const char* name, const char* command) {
    distview::require<distview::UsageError>(is_built, [&] {
        return distview::text("--solver ", option, ": expected a build with ", name,
                              ", got one without: ", command, " installs it");
    });
}

} // namespace

void require_stack(Solver solver) {
    switch (solver) {
    case Solver::petsc:
        return require_built(has_petsc, "petsc", "PETSc",
                             "scripts/run --interop poisson --solver petsc");
    case Solver::hypre:
        return require_built(has_hypre, "hypre", "hypre",
                             "scripts/run --interop poisson --solver hypre");
    case Solver::belos:
        return require_built(has_belos, "belos", "Trilinos' Tpetra and Belos",
                             "scripts/run --trilinos poisson --solver belos");
    case Solver::cg: break;
    }
}

template <int Axes>
std::unique_ptr<StackSolver> make_solver(Stack<Axes>& stack) {
    switch (stack.options.solver) {
    case Solver::petsc:
        if constexpr (has_petsc) return make_petsc_solver(stack);
        break;
    case Solver::hypre:
        if constexpr (has_hypre) return make_hypre_solver(stack);
        break;
    case Solver::belos:
        if constexpr (has_belos) return make_belos_solver(stack);
        break;
    case Solver::cg: break;
    }
    return nullptr;
}

template std::unique_ptr<StackSolver> make_solver(Stack<2>&);
template std::unique_ptr<StackSolver> make_solver(Stack<3>&);

} // namespace poisson
