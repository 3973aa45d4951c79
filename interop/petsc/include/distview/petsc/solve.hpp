// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/petsc/handle.hpp>

#include <petscksp.h>

#include <string>
#include <vector>

namespace distview::petsc {

/// What solve() asks of PETSc; names are PETSc's own.
struct SolveOptions {
    std::string method = "cg"; ///< -ksp_type; preonly does not start from what x is
    std::string preconditioner =
        "none"; ///< -pc_type: none, jacobi, gamg, hypre (BoomerAMG), ilu, ...
    /// Stop when the norm of the residual is at most this times that of the right side. cg, gmres, fgmres, bcgs and bicg do so;
    /// of others (cgs, tfqmr, minres, ...) PETSc takes norms of the preconditioned residual, here and below: those may
    /// also take a start that is far away for divergence.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
    /// What options of the command line begin with that are for this solution: -flow_ksp_type for "flow_". Those without it
    /// do not count then, so that several solvers of a program can be told apart. The "-" does not belong to it (with one it is
    /// a SolverError), a "_" at its end does: PETSc adds none.
    std::string prefix{};
};

/// What a solution took, the same on every rank.
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    /// The last norm of the residual, as PETSc updates it; where it takes none (preonly, -ksp_norm_type none) that of b - A x.
    double residual = 0;
    /// The norm of b; with a null space, without its part in that of the transposed matrix, as PETSc takes it.
    double right_side = 0;
    /// Norms of the residuals, that of the first x first; none where PETSc takes none.
    std::vector<double> history{};
    std::string reason{}; ///< PETSc's: KSP_CONVERGED_RTOL
};

/// Solves A x = b by one of PETSc's methods, from what x is.
///
///     const auto result = petsc::solve(comm, a, b, x, {.preconditioner = "gamg", .tolerance = 1e-8});
///
/// Of a right side of zeros (without its part in the null space) x is set to zero, without an iteration. The elements of b
/// and x are taken as they are in memory, whatever norms PETSc remembers (mark_written()). Of a matrix with a null space,
/// "gamg" solves the coarsest level, which is singular too, by singular values (PCSVD) and not by LU as in PETSc. The
/// preconditioner of gmres and bcgs is on the right, where their residual is that of the equations, unless
/// -ksp_pc_side or -ksp_norm_type says otherwise. Options of PETSc's command line (-ksp_type, -pc_type, ...) win over those
/// given here; with a prefix those that begin with it. Whoever solves again and again with one matrix makes a Solver.
///
/// Collective: over comm, which has the processes of the matrix
/// Errors:     UsageError if PETSc is not running, ranks pass different options or negative ones, an object is null or of other
///             processes, b and x are one array, or x has const elements; ShapeError if sizes do not fit (a Vec has no more of a
///             layout); SolverError if PETSc fails, or the solution diverges, with PETSc's reason: a zero pivot is one
///             (thrown on all ranks)
/// Example:    examples/poisson
SolveResult solve(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options = {});

/// The same, made once: for time steps. What PETSc has set up for the matrix, such as the levels of gamg, is kept until the
/// matrix changes.
///
///     petsc::Solver solver(comm, a, {.preconditioner = "gamg"});
///     for (...) solver.solve(b, x);                 // petsc::set_values(a, ...) between: levels are made anew
///
/// Collective: construction and solve(), over comm, which has the processes of the matrix
/// Errors:     those of the function solve(); of construction those of options and matrix. After a call that failed halfway, because
///             an operator threw or PETSc failed, every solve() is a UsageError: PETSc keeps counts and locks of what has not
///             ended. A solution that does not converge has ended.
class Solver {
public:
    Solver(const Communicator& comm, Mat a, const SolveOptions& options = {});
    SolveResult solve(Vec b, Vec x);
    /// PETSc's, for settings of one's own.
    operator KSP() const noexcept { return m_solver; }

private:
    Communicator m_comm;
    SolveOptions m_options;
    Handle<KSP> m_solver;
    bool m_has_failed = false;
};

} // namespace distview::petsc
