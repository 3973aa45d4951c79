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
    amg,    ///< MueLu's smoothed aggregation, with an equation for each unknown of a cell
};

/// Vectors that A maps to zero.
enum class Nullspace {
    none,
    constant, ///< vectors of equal elements, for example if all sides are periodic or Neumann
};

struct SolveOptions {
    /// Stop when the norm of the residual is at most this times the norm of the right side.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    Preconditioner preconditioner = Preconditioner::none;
    Nullspace nullspace = Nullspace::none;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
};

/// Outcome of a solution, the same on every rank.
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    double residual = 0; ///< norm of b - A x at the end, in the column with the largest ratio to b
    double right_side = 0; ///< norm of b in that column
    /// Norms of the residuals as Belos updates them, beginning with the first x; the largest of several columns.
    std::vector<double> history{};
};

/// Whether the installed Trilinos has a preconditioner.
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

/// Solves A x = b by Belos' conjugate gradients (PseudoBlockCG), each column separately, starting from the values of x.
///
///     const auto result = tpetra::solve(exec, a, b, x, {.preconditioner = tpetra::Preconditioner::amg});
///
/// With Nullspace::constant, A may be singular; b must then be orthogonal to constants. Rounding adds constants to
/// products and preconditioned vectors, and solve() subtracts them. The solution x is determined up to a constant.
///
/// Collective: over the communicator of the maps
/// Shapes:     b and x have A's map, equally many columns, and separate memory
/// Space:      Tpetra's execution space, after a fence of `exec`; on return all work has finished
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       Belos keeps four vectors a column; every call sets up the preconditioner (a Solver keeps it); beside
///             Belos' own work, each iteration computes one norm for the history and, without a preconditioner, copies
///             the residual
/// Errors:     UsageError if b or x has another map, they differ in columns or share memory, options are invalid or
///             differ between ranks, the preconditioner is not installed, or A is an Operator and the preconditioner
///             needs a Matrix or a diagonal; SolverError if Belos, Ifpack2, MueLu or Teuchos throws (for an indefinite
///             A, say; with the exception's text), jacobi finds a zero on the diagonal, the residual is not finite, or
///             the solution does not converge (thrown on all ranks)
template <ExecutionSpace Exec, class A>
SolveResult solve(const Exec& exec, const A& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options = {}) {
    exec.fence("distview::tpetra::solve: Tpetra reads the arrays");
    return impl::solve(a, b, x, options);
}

/// A solver for repeated solutions, as in time steps. It keeps A, and the preconditioner (MueLu's levels, say) until
/// set_values() replaces A's values. A must not change in other ways, for example through rcp(). Copies are shallow.
///
///     tpetra::Solver solver(a, {.preconditioner = tpetra::Preconditioner::amg});
///     for (...) solver.solve(exec, b, x);           // makes levels anew after tpetra::set_values(a, ...)
///
/// Collective: construction and solve(), over the communicator of A's map
/// Space:      that of the function solve()
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       construction sets up the preconditioner; apart from that, solve() costs as much as the function
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
