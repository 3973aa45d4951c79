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
    /// Norms of the residuals as Belos updates them, that of the first x first; of several columns the greatest.
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

/// Solves A x = b by Belos' conjugate gradients (PseudoBlockCG), from what x is; column by column of several.
///
///     const auto result = tpetra::solve(exec, a, b, x, {.preconditioner = tpetra::Preconditioner::amg});
///
/// With Nullspace::constant, A may be singular: b must be orthogonal to constants, of which products and
/// preconditioned vectors are freed as rounding brings them in; x is determined up to a constant.
///
/// Collective: over the communicator of the maps
/// Shapes:     b and x have A's map and equally many columns, in memory of their own
/// Space:      Tpetra's execution space, after a fence of `exec`; on return all work has finished
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       Belos keeps four vectors a column; preconditioners are set up in every call (a Solver keeps them); of an
///             iteration one norm more than Belos' own, for the history, and a copy of the residual where there is no
///             preconditioner
/// Errors:     UsageError if b or x have other maps or columns, or share memory, a preconditioner is not there, or A is an Operator
///             where it needs a Matrix or a diagonal, options differ between ranks; SolverError with the text of the
///             exception that Belos, Ifpack2, MueLu or Teuchos threw, such as of an indefinite A, for a zero on
///             the diagonal, if x is not finite, and if the solution does not converge (thrown on all ranks)
template <ExecutionSpace Exec, class A>
SolveResult solve(const Exec& exec, const A& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options = {}) {
    exec.fence("distview::tpetra::solve: Tpetra reads the arrays");
    return impl::solve(a, b, x, options);
}

/// The same, made once: for time steps. A and the preconditioner, such as MueLu's levels, are kept until set_values() gives A
/// other values. Copies are shallow.
///
///     tpetra::Solver solver(a, {.preconditioner = tpetra::Preconditioner::amg});
///     for (...) solver.solve(exec, b, x);           // tpetra::set_values(a, ...) between: levels are made anew
///
/// Collective: construction and solve(), over the communicator of A's map
/// Space:      as of the function solve()
/// Touches:    the memory of the arrays that b and x were made of
/// Cost:       construction sets the preconditioner up; solve() is that of the function besides
/// Errors:     those of the function solve(); of construction those of options, A and the preconditioner
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
