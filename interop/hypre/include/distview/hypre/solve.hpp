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

/// hypre's name of an iteration.
///
/// Collective: no (local)
enum class KrylovMethod {
    pcg,      ///< conjugate gradients: A and the preconditioner are symmetric and positive
    gmres,    ///< of any matrix; keeps restart + 4 vectors from set-up on
    bicgstab, ///< of any matrix; two products an iteration, some vectors, and residuals that leap
};

/// What solve() asks of hypre.
///
/// Collective: no (local)
struct SolveOptions {
    KrylovMethod method = KrylovMethod::pcg;
    /// none, jacobi; of an IJ matrix boomeramg, of a Struct matrix pfmg: one cycle with hypre's own settings, of boomeramg
    /// with as many functions as the numbering has unknowns per cell. pfmg takes stencils of 5 or 9 entries on two axes, of
    /// 7, 19 or 27 on three; it relaxes by red and black those of 5 and 7, others by weighted Jacobi: hypre's red and black
    /// ends the program there, also where `tune` asks for it. Of periodic axes it wants powers of two: of others iterations
    /// are some times as many (37 for 10 on 33 x 33 cells).
    std::string preconditioner = "none";
    /// Stop when the norm of the residual is less than this times that of the right side.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
    /// Whether A 1 = 0: with periodic or Neumann sides solutions are determined up to a constant.
    bool constant_null_space = false;
    /// After how many iterations gmres begins anew, from the x that it has. There is room for each of them from set-up on, or
    /// for max_iterations if those are fewer; (restart + 1) numbers in each row of a rank are to be counted by a HYPRE_Int.
    int restart = 30;
    /// Called with the solver of boomeramg or pfmg before it is set up, for settings such as
    /// HYPRE_BoomerAMGSetStrongThreshold() of HYPRE_parcsr_ls.h; the same on all ranks. A Solver calls it in its first
    /// solve().
    std::function<void(HYPRE_Solver)> tune{};
};

/// What a solution took, the same on every rank.
///
/// Collective: no (local)
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    /// The last norm of the residual: of pcg as the iteration updates it, else of b - A x.
    double residual = 0;
    double right_side = 0; ///< the norm of b
    /// Norms of the residuals, that of the first x first; of gmres and bicgstab, of which hypre tells none, the first
    /// and the last.
    std::vector<double> history{};
    /// converged, max_iterations or breakdown (of bicgstab a division by zero, say), and hypre's words.
    std::string reason{};
};

/// Solves A x = b by one of hypre's iterations, from what x is.
///
///     const auto result = hypre::solve(comm, a, b, x, {.preconditioner = "boomeramg", .tolerance = 1e-8});
///
/// The arrays of b and x are put before, and that of x is fetched after, also where the solution does not converge. With a
/// constant null space the means of b, of which a copy is made, and of each preconditioned vector are taken off (b has a
/// solution then if columns of A sum up to zero, too, as those of a symmetric A do):
/// hypre has no notion of null spaces; the coarsest level of boomeramg is relaxed then instead of factorised.
/// Whoever solves again and again with one matrix makes a Solver.
///
/// Collective: over comm, which has the processes of the matrix and the vectors
/// Cost:       more than hypre's own: of an iteration of pcg one scalar product, for the history; with a null space one more,
///             and two vectors; of a solution by gmres or bicgstab two products with A, and a vector
/// Errors:     UsageError if hypre is not running, ranks pass different options or negative ones, there is no such
///             preconditioner, pfmg does not know the stencil, a HYPRE_Int does not count the vectors of gmres, A, b and x
///             are not of the same rows and of comm, or b and x are one array; SolverError if hypre fails, there is a zero on
///             the diagonal for a preconditioner, or the solution does not converge (thrown on all ranks)
/// Example:    examples/poisson
SolveResult solve(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                  const SolveOptions& options = {});
SolveResult solve(const Communicator& comm, const StructMatrix& a, const StructVector& b,
                  const StructVector& x, const SolveOptions& options = {});

namespace impl {
class Iteration;
} // namespace impl

/// The same, made once: for time steps. What hypre has set up for the matrix, such as the levels of boomeramg or pfmg, is kept.
///
///     hypre::Solver solver(comm, a, {.preconditioner = "boomeramg"});    // a Matrix or a StructMatrix
///     for (...) solver.solve(b, x);                 // hypre::set_values(a, ...) between: levels are made anew
///
/// The first solve() sets up, and the first after set_values(). The matrix is kept, and is not to change otherwise: whoever
/// has another one (more entries, or a StructMatrix of other values) makes another Solver. A Solver may outlive hypre; what
/// hypre has set up is not freed then.
///
/// Collective: construction, solve() and destruction, over comm, which has the processes of the matrix
/// Cost:       what is kept: three vectors, of bicgstab seven, of gmres restart + 4 from the first solution on, however few
///             iterations that takes; with a null space two more; and the preconditioner's levels; of solve() that of the
///             function besides
/// Errors:     those of the function solve(), and UsageError if vectors are over another communicator than the matrix;
///             of construction those of options and matrix. Where a call of hypre fails, the next solve() sets up anew; a
///             solution that does not converge is no such failure.
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
    std::int64_t m_changes = 0; ///< of the matrix, with which m_iteration was set up
};

extern template class Solver<Matrix>;
extern template class Solver<StructMatrix>;

} // namespace distview::hypre
