// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/solve.hpp>

#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <functional>
#include <vector>

namespace distview::hypre::impl {

/// What differs between the IJ and the Struct interface, and between preconditioners, for Gradients.
struct Method {
    using Create = HYPRE_Int (*)(MPI_Comm, HYPRE_Solver*);
    using Destroy = HYPRE_Int (*)(HYPRE_Solver);

    Create create_gradients = nullptr;
    Destroy destroy_gradients = nullptr;
    mv_InterfaceInterpreter algebra{}; ///< of vectors
    HYPRE_Int (*set_ones)(HYPRE_Vector) = nullptr;

    Create create_preconditioner = nullptr; ///< null if there is nothing to set up
    Destroy destroy_preconditioner = nullptr;
    std::function<void(HYPRE_Solver)> tune{};
    HYPRE_PtrToSolverFcn set_up = nullptr;
    HYPRE_PtrToSolverFcn apply = nullptr; ///< null for none
};

/// Owns a solver of hypre; of none if `create` is null.
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

/// A vector of hypre like another; of none if that is null.
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

/// hypre's conjugate gradients of one matrix, which the first solution sets up. The matrix has to live as long. Construction
/// and solve() throw CallFailed, but not where a solution does not converge.
class Gradients {
public:
    /// `like` tells of what form the vectors are.
    Gradients(MPI_Comm comm, const Method& method, HYPRE_Matrix a, HYPRE_Vector like,
              const SolveOptions& options);
    Gradients(const Gradients&) = delete;
    Gradients& operator=(const Gradients&) = delete;

    /// Takes what memory the result needs; local, where solve() is collective.
    void make_room(SolveResult& result) const;
    void solve(HYPRE_Vector b, HYPRE_Vector x, SolveResult& result);

private:
    static HYPRE_Int set_up_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector b, HYPRE_Vector x);
    static HYPRE_Int apply_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector r, HYPRE_Vector z);
    void take_mean_off(HYPRE_Vector vector) const;
    void conclude(SolveResult& result) const;

    Method m_method;
    HYPRE_Matrix m_a;
    SolveOptions m_options;
    Owner m_gradients, m_preconditioner;
    Work m_ones, m_centered; ///< none unless the null space is that of constants
    double m_cells = 0;
    std::vector<double>* m_history = nullptr; ///< of the solution under way
    bool m_is_set_up = false;
};

} // namespace distview::hypre::impl
