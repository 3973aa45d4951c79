// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/solve.hpp>

#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <functional>
#include <vector>

namespace distview::hypre::impl {

/// hypre's calls of a Krylov method, the same for both interfaces.
struct Calls {
    using Solve = HYPRE_Int (*)(HYPRE_Solver, HYPRE_Matrix, HYPRE_Vector, HYPRE_Vector);

    HYPRE_Int (*set_tolerance)(HYPRE_Solver, HYPRE_Real);
    HYPRE_Int (*set_max_iterations)(HYPRE_Solver, HYPRE_Int);
    HYPRE_Int (*set_preconditioner)(HYPRE_Solver, HYPRE_PtrToSolverFcn, HYPRE_PtrToSolverFcn,
                                    HYPRE_Solver);
    Solve set_up, solve;
    HYPRE_Int (*get_iterations)(HYPRE_Solver, HYPRE_Int*);
    HYPRE_Int (*get_relative_residual)(HYPRE_Solver, HYPRE_Real*);
};

/// The functions that Iteration needs for an interface (IJ or Struct) and a preconditioner.
struct Method {
    using Create = HYPRE_Int (*)(MPI_Comm, HYPRE_Solver*);
    using Destroy = HYPRE_Int (*)(HYPRE_Solver);

    Create create = nullptr;
    Destroy destroy = nullptr;
    mv_InterfaceInterpreter algebra{}; ///< operations on vectors
    HYPRE_Int (*set_to)(HYPRE_Vector, double) = nullptr;
    HYPRE_Int (*subtract_product)(HYPRE_Matrix, HYPRE_Vector x,
                                  HYPRE_Vector y) = nullptr; ///< y -= A x

    Create create_preconditioner = nullptr; ///< null if there is nothing to set up
    Destroy destroy_preconditioner = nullptr;
    std::function<void(HYPRE_Solver)> tune{};
    HYPRE_PtrToSolverFcn set_up = nullptr;
    HYPRE_PtrToSolverFcn apply = nullptr; ///< null for none
};

/// The restart of gmres, at most max_iterations: hypre allocates room for each iteration up to a restart.
int effective_restart(const SolveOptions& options);

/// Owns a solver of hypre, or no solver if `create` is null.
class Owner {
public:
    Owner(MPI_Comm comm, Method::Create create, Method::Destroy destroy);
    ~Owner();
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    HYPRE_Solver get() const noexcept { return m_solver; }

private:
    HYPRE_Solver m_solver = nullptr;
    Method::Destroy m_destroy;
};

/// Owns a vector of hypre with the form of `like`, or no vector if `like` is null.
class Work {
public:
    Work(const mv_InterfaceInterpreter& algebra, HYPRE_Vector like);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    HYPRE_Vector get() const noexcept { return m_vector; }

private:
    const mv_InterfaceInterpreter& m_algebra;
    HYPRE_Vector m_vector;
};

/// A Krylov method of hypre for one matrix, which must outlive it. A solution is run() and conclude(); set_up()
/// precedes the first one. Each call is collective and throws CallFailed by this rank's own flag, so ranks agree after
/// each of them.
class Iteration {
public:
    /// `like` determines the form of the vectors.
    Iteration(MPI_Comm comm, const Method& method, HYPRE_Matrix a, HYPRE_Vector like,
              const SolveOptions& options);
    Iteration(const Iteration&) = delete;
    Iteration& operator=(const Iteration&) = delete;

    /// Allocates the memory of the result; local.
    void make_room(SolveResult& result) const;
    bool is_set_up() const noexcept { return m_is_set_up; }
    void set_up(HYPRE_Vector b, HYPRE_Vector x);
    /// Neither missing convergence nor a breakdown counts as a failure of hypre.
    void run(HYPRE_Vector b, HYPRE_Vector x, SolveResult& result);
    /// Fills the result.
    void conclude(HYPRE_Vector x, SolveResult& result) const;

private:
    static HYPRE_Int set_up_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector b, HYPRE_Vector x);
    static HYPRE_Int apply_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector r, HYPRE_Vector z);
    void take_mean_off(HYPRE_Vector vector) const;
    double residual(HYPRE_Vector x) const;
    bool tells_residuals() const { return m_options.method == KrylovMethod::pcg; }
    bool is_small(double residual, const SolveResult& result) const;
    bool is_solved_by_start(const SolveResult& result) const;
    bool has_converged(SolveResult& result) const;

    Method m_method;
    const Calls& m_calls;
    HYPRE_Matrix m_a;
    SolveOptions m_options;
    Owner m_solver, m_preconditioner;
    Work m_ones, m_centered; ///< null unless options have constant_null_space
    Work m_residual;         ///< null for pcg
    double m_cells = 0;
    bool m_is_set_up = false;

    // State of the current solution:
    std::vector<double>* m_history = nullptr;
    HYPRE_Vector m_right = nullptr; ///< b, or m_centered
    int m_applied = 0;              ///< how often the preconditioner was applied
    HYPRE_Int m_failed = 0;         ///< hypre's error flags after these
    bool m_broke_down = false;
};

} // namespace distview::hypre::impl
