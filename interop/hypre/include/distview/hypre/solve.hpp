// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/matrix.hpp>
#include <distview/hypre/structured.hpp>
#include <distview/hypre/vector.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::hypre {

/// The iterative methods, by hypre's names.
///
/// Collective: no (local)
enum class KrylovMethod {
    pcg,      ///< conjugate gradients: A and the preconditioner are symmetric and positive
    gmres,    ///< for any matrix; keeps restart + 4 vectors from set-up on
    bicgstab, ///< for any matrix; two products an iteration, some vectors, and oscillating residuals
};

/// Options of solve().
///
/// Collective: no (local)
struct SolveOptions {
    KrylovMethod method = KrylovMethod::pcg;
    /// none or jacobi; for an IJ matrix also boomeramg, for a Struct matrix also pfmg. Both run one cycle with hypre's
    /// own settings, boomeramg with as many functions as the numbering has unknowns per cell. pfmg accepts stencils of
    /// 5 or 9 entries on two axes, of 7, 19 or 27 on three. It relaxes stencils of 5 and 7 entries by
    /// red-black Gauss-Seidel, others by weighted Jacobi: red-black relaxation of the others aborts the program, also
    /// if `tune` selects it. Periodic axes should have a power of two of cells: other sizes need several times as many
    /// iterations (37 instead of 10 on 33 x 33 cells).
    std::string preconditioner = "none";
    /// Stop when the norm of the residual is less than this times the norm of the right side.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
    /// Whether A 1 = 0: with periodic or Neumann sides solutions are determined up to a constant.
    bool constant_null_space = false;
    /// gmres restarts from its current x after this many iterations. Set-up allocates a vector for each of them, or
    /// for max_iterations if that is smaller; a HYPRE_Int has to count (restart + 1) numbers for each row of a rank.
    int restart = 30;
    /// Called with the solver of boomeramg or pfmg before it is set up, for settings such as
    /// HYPRE_BoomerAMGSetStrongThreshold() of HYPRE_parcsr_ls.h; the same on all ranks. A Solver calls it in its first
    /// solve().
    std::function<void(HYPRE_Solver)> tune{};
};

/// The result of a solution, the same on every rank.
///
/// Collective: no (local)
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    /// The last norm of the residual: pcg reports the one that it updates, the others the norm of b - A x.
    double residual = 0;
    double right_side = 0; ///< the norm of b; with a null space, of b without its mean
    /// Norms of the residuals, beginning with the first x. hypre reports none for gmres and bicgstab: only the first
    /// and the last norm are here.
    std::vector<double> history{};
    /// converged, max_iterations or breakdown (such as a division by zero in bicgstab), and hypre's text.
    std::string reason{};
};

/// Solves A x = b by one of hypre's iterations, starting from the values of x.
///
///     const auto result = hypre::solve(comm, a, b, x, {.preconditioner = "boomeramg", .tolerance = 1e-8});
///
/// solve() calls put() for b and x before, and fetch() for x after, also if the solution does not converge. hypre has
/// no notion of null spaces: with a constant null space, solve() subtracts the means from a copy of b and from each
/// preconditioned vector, and boomeramg relaxes its coarsest level instead of factorising it. b then has a solution if
/// the columns of A sum up to zero, too, as those of a symmetric A do. For repeated solutions with one matrix, make a
/// Solver.
///
/// Collective: over comm, which has the processes of the matrix and the vectors
/// Cost:       in addition to hypre's own: pcg needs one scalar product an iteration, for the history; a null space one
///             more, and two vectors; gmres and bicgstab need two products with A per solution, and a vector
/// Errors:     UsageError if hypre is not running, ranks pass different options or negative ones, there is no such
///             preconditioner, pfmg does not support the stencil, a HYPRE_Int does not count the vectors of gmres, A, b
///             and x differ in their rows or are not over comm, or b and x are one array; SolverError if hypre fails,
///             the diagonal has a zero and there is a preconditioner, or the solution does not converge (thrown on all
///             ranks)
/// Example:    examples/poisson
SolveResult solve(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                  const SolveOptions& options = {});
SolveResult solve(const Communicator& comm, const StructMatrix& a, const StructVector& b,
                  const StructVector& x, const SolveOptions& options = {});

namespace impl {
class Iteration;
} // namespace impl

/// A solver for repeated solutions, as in time steps. It keeps hypre's set-up for the matrix (levels of boomeramg or
/// pfmg).
///
///     hypre::Solver solver(comm, a, {.preconditioner = "boomeramg"});    // a Matrix or a StructMatrix
///     for (...) solver.solve(b, x);                 // hypre::set_values(a, ...) between: levels are made anew
///
/// The first solve(), and the first after set_values(), sets up. The Solver keeps the matrix, which must not change by
/// other means: for another matrix (more entries, or a StructMatrix of other values) make another Solver. A Solver may
/// outlive hypre; hypre's set-up is then not freed.
///
/// Collective: construction, solve() and destruction, over comm, which has the processes of the matrix
/// Cost:       memory kept: three vectors, for bicgstab seven, for gmres restart + 4 from the first solution on,
///             for any number of iterations; with a null space two more; and the preconditioner's levels. Otherwise
///             solve() costs as much as the function
/// Errors:     those of the function solve(), and UsageError if vectors are over another communicator than the matrix;
///             construction reports those of options and matrix. If a call of hypre fails, the next solve() sets up
///             anew; a solution that does not converge is not such a failure.
template <class A>
    requires std::same_as<A, Matrix> || std::same_as<A, StructMatrix>
class Solver {
public:
    using Vector = std::conditional_t<std::is_same_v<A, StructMatrix>, StructVector, hypre::Vector>;

    Solver(const Communicator& comm, const A& a, const SolveOptions& options = {});
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    ~Solver();

    SolveResult solve(const Vector& b, const Vector& x);

private:
    Communicator m_comm;
    A m_a;
    SolveOptions m_options;
    std::unique_ptr<impl::Iteration> m_iteration; ///< null until there is a solution
    std::int64_t m_changes = 0; ///< the matrix's changes() when m_iteration was set up
};

extern template class Solver<Matrix>;
extern template class Solver<StructMatrix>;

} // namespace distview::hypre
