// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/petsc/handle.hpp>

#include <petscksp.h>

#include <string>
#include <vector>

namespace distview::petsc {

/// Options of solve(); names are PETSc's own.
struct SolveOptions {
    std::string method = "cg"; ///< -ksp_type; preonly ignores the initial x
    std::string preconditioner =
        "none"; ///< -pc_type: none, jacobi, gamg, hypre (BoomerAMG), bjacobi, asm; ilu on one rank, ...
    /// Stop when the norm of the residual is at most this times the norm of the right side. This holds for cg, gmres,
    /// fgmres, bcgs and bicg. For others (cgs, tfqmr, minres, ...) PETSc uses norms of the preconditioned residual,
    /// here and below: such methods may also report a distant initial x as divergence.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    /// Whether a solution that does not converge is an error.
    bool has_to_converge = true;
    /// Prefix of the command-line options for this solution: -flow_ksp_type for "flow_". PETSc then ignores options
    /// without it, so that a program can set several solvers separately. Leave out the leading "-" (with it:
    /// SolverError), but write the "_" at the end: PETSc adds none.
    std::string prefix{};
};

/// The result of a solution, the same on every rank.
struct SolveResult {
    bool converged = false;
    int iterations = 0;
    /// The last norm of the residual, as PETSc updates it; the norm of b - A x if PETSc computes none (preonly,
    /// -ksp_norm_type none).
    double residual = 0;
    /// The norm of b; with a null space, b without its part in the null space of the transposed matrix, as in PETSc.
    double right_side = 0;
    /// Norms of the residuals, beginning with the first x; empty if PETSc computes none.
    std::vector<double> history{};
    std::string reason{}; ///< PETSc's: KSP_CONVERGED_RTOL
};

/// Solves A x = b by one of PETSc's methods, starting from the values of x.
///
///     const auto result = petsc::solve(comm, a, b, x, {.preconditioner = "gamg", .tolerance = 1e-8});
///
/// If the right side is zero (without its part in the null space), x is set to zero without an iteration. solve() reads
/// the elements of b and x from memory, whatever norms PETSc remembers (mark_written()). If a matrix has a null space,
/// "gamg" solves the coarsest level, which is singular too, by singular values (PCSVD) and not by LU as in PETSc. gmres
/// and bcgs have the preconditioner on the right, where their residual is the residual of the equations, unless
/// -ksp_pc_side or -ksp_norm_type says otherwise. PETSc's command-line options (-ksp_type, -pc_type, ...) override the
/// options given here; with a prefix, those that begin with it. For repeated solutions with one matrix, make a Solver.
///
/// Collective: over comm, which has the processes of the matrix
/// Errors:     UsageError if PETSc is not running, ranks pass different options or negative ones, an object is null or
///             of other processes, b and x are one array, or x has const elements; ShapeError if sizes do not fit (a
///             Vec stores nothing else of a layout); SolverError if PETSc fails, or the solution diverges, for instance
///             at a zero pivot, with PETSc's reason (thrown on all ranks)
/// Example:    examples/poisson
SolveResult solve(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options = {});

/// A solver for repeated solutions, as in time steps. It keeps PETSc's set-up for the matrix (levels of gamg) until the
/// matrix changes.
///
///     petsc::Solver solver(comm, a, {.preconditioner = "gamg"});
///     for (...) solver.solve(b, x);                 // petsc::set_values(a, ...) between: levels are made anew
///
/// Collective: construction and solve(), over comm, which has the processes of the matrix
/// Errors:     those of the function solve(); construction reports those of options and matrix. After a call that
///             failed halfway (an operator threw or PETSc failed), every solve() is a UsageError, because PETSc keeps
///             counts and locks of the unfinished solution. A solution that does not converge counts as finished.
class Solver {
public:
    Solver(const Communicator& comm, Mat a, const SolveOptions& options = {});
    SolveResult solve(Vec b, Vec x);
    /// PETSc's own solver, for further settings.
    operator KSP() const noexcept { return m_solver; }

private:
    Communicator m_comm;
    SolveOptions m_options;
    Handle<KSP> m_solver;
    bool m_has_failed = false;
};

} // namespace distview::petsc
