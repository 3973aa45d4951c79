// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/interop/solver_error.hpp>
#include <distview/tpetra/matrix.hpp>
#include <distview/tpetra/multi_vector.hpp>
#include <distview/tpetra/operator.hpp>

#include <memory>
#include <vector>

namespace distview::tpetra {

enum class Preconditioner {
    none,
    jacobi, ///< the inverse of the diagonal
    amg,    ///< MueLu's smoothed aggregation, of as many equations as there are unknowns per cell
};

/// What A maps to zero.
enum class Nullspace {
    none,
    constant, ///< vectors of equal elements, as with periodic or Neumann sides only
};

struct SolveOptions {
    /// Stop when the norm of the residual is at most this times that of the right side.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    Preconditioner preconditioner = Preconditioner::none;
    Nullspace nullspace = Nullspace::none;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
};

/// What a solution took, the same on every rank.
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    double residual = 0; ///< norm of b - A x, computed anew at the end; the largest of all columns
    double right_side = 0; ///< norm of b; of the column with that residual
    /// Norms of the residuals as Belos updates them, beginning with the first x; of several columns the greatest.
    std::vector<double> history{};
};

/// Which preconditioners the installed Trilinos has.
///
/// Collective: no (local)
bool has_preconditioner(Preconditioner which) noexcept;

namespace impl {
struct SolverState;
SolveResult solve(const Operator& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options);
SolveResult solve(const Matrix& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options);
} // namespace impl

/// Solves A x = b by Belos' conjugate gradients (PseudoBlockCG), starting from the values of x; each column separately.
///
///     const auto result = tpetra::solve(exec, a, b, x, {.preconditioner = tpetra::Preconditioner::amg});
///
/// With Nullspace::constant, A may be singular: b must be orthogonal to constants. solve() removes the constants that
/// rounding brings into products and preconditioned vectors; x is determined up to a constant.
///
/// Collective: over the communicator of the maps
/// Shapes:     b and x have A's map and equally many columns, in memory of their own
/// Space:      Tpetra's execution space, after a fence of `exec`; on return all work has finished
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       Belos keeps four vectors a column; preconditioners are set up in every call (a Solver keeps them); of an
///             iteration one norm more than Belos' own, for the history, and a copy of the residual where there is no
///             preconditioner
/// Errors:     UsageError if b or x have other maps or columns, or share memory, a preconditioner is not installed, A
///             is an Operator where it needs a Matrix or a diagonal, or options differ between ranks; SolverError if
///             Belos, Ifpack2, MueLu or Teuchos throws (an indefinite A, say; with the exception's text), for a zero on
///             the diagonal, if x is not finite, and if the solution does not converge (thrown on all ranks)
template <ExecutionSpace Exec, class A>
SolveResult solve(const Exec& exec, const A& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options = {}) {
    exec.fence("distview::tpetra::solve: Tpetra reads the arrays");
    return impl::solve(a, b, x, options);
}

/// A solver for repeated solutions, as in time steps. It keeps A and the preconditioner (MueLu's levels, say) until
/// set_values() gives A other values; A must not change by other means, such as rcp(). Copies are shallow.
///
///     tpetra::Solver solver(a, {.preconditioner = tpetra::Preconditioner::amg});
///     for (...) solver.solve(exec, b, x);           // tpetra::set_values(a, ...) between: levels are made anew
///
/// Collective: construction and solve(), over the communicator of A's map
/// Space:      as of the function solve()
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       construction sets the preconditioner up; solve() costs as much as the function otherwise
/// Errors:     those of the function solve(); construction reports those of options, A and the preconditioner
class Solver {
public:
    explicit Solver(const Operator& a, const SolveOptions& options = {});
    explicit Solver(const Matrix& a, const SolveOptions& options = {});

    template <ExecutionSpace Exec>
    SolveResult solve(const Exec& exec, const MultiVector& b, const MultiVector& x) const {
        exec.fence("distview::tpetra::Solver::solve: Tpetra reads the arrays");
        return run(b, x);
    }

private:
    SolveResult run(const MultiVector& b, const MultiVector& x) const;

    std::shared_ptr<impl::SolverState> m_state;
};

} // namespace distview::tpetra
