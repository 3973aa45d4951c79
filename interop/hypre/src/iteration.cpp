// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration.hpp"

#include "call.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace distview::hypre::impl {

namespace {

const Calls& calls_of(KrylovMethod method) {
    static constexpr Calls pcg{&HYPRE_PCGSetTol,
                               &HYPRE_PCGSetMaxIter,
                               &HYPRE_PCGSetPrecond,
                               &HYPRE_PCGSetup,
                               &HYPRE_PCGSolve,
                               &HYPRE_PCGGetNumIterations,
                               &HYPRE_PCGGetFinalRelativeResidualNorm};
    static constexpr Calls gmres{&HYPRE_GMRESSetTol,
                                 &HYPRE_GMRESSetMaxIter,
                                 &HYPRE_GMRESSetPrecond,
                                 &HYPRE_GMRESSetup,
                                 &HYPRE_GMRESSolve,
                                 &HYPRE_GMRESGetNumIterations,
                                 &HYPRE_GMRESGetFinalRelativeResidualNorm};
    static constexpr Calls bicgstab{&HYPRE_BiCGSTABSetTol,
                                    &HYPRE_BiCGSTABSetMaxIter,
                                    &HYPRE_BiCGSTABSetPrecond,
                                    &HYPRE_BiCGSTABSetup,
                                    &HYPRE_BiCGSTABSolve,
                                    &HYPRE_BiCGSTABGetNumIterations,
                                    &HYPRE_BiCGSTABGetFinalRelativeResidualNorm};
    return method == KrylovMethod::gmres      ? gmres
           : method == KrylovMethod::bicgstab ? bicgstab
                                              : pcg;
}

} // namespace

int effective_restart(const SolveOptions& options) {
    return std::clamp(options.restart, 1, std::max(1, options.max_iterations));
}

Owner::Owner(MPI_Comm comm, Method::Create create, Method::Destroy destroy) : m_destroy(destroy) {
    if (create) call(create(comm, &m_solver));
}
Owner::~Owner() {
    if (m_solver && is_alive()) (void)m_destroy(m_solver);
}

Work::Work(const mv_InterfaceInterpreter& algebra, HYPRE_Vector like)
    : m_algebra(algebra),
      m_vector(like ? static_cast<HYPRE_Vector>(algebra.CreateVector(like)) : nullptr) {}
Work::~Work() {
    if (m_vector && is_alive()) (void)m_algebra.DestroyVector(m_vector);
}

Iteration::Iteration(MPI_Comm comm, const Method& method, HYPRE_Matrix a, HYPRE_Vector like,
                     const SolveOptions& options)
    : m_method(method), m_calls(calls_of(options.method)), m_a(a), m_options(options),
      m_solver(comm, method.create, method.destroy),
      m_preconditioner(comm, method.create_preconditioner, method.destroy_preconditioner),
      m_ones(m_method.algebra, options.constant_null_space ? like : nullptr),
      m_centered(m_method.algebra, options.constant_null_space ? like : nullptr),
      m_residual(m_method.algebra, tells_residuals() ? nullptr : like) {
    if (m_preconditioner.get()) {
        if (method.tune) method.tune(m_preconditioner.get());
        if (options.tune) options.tune(m_preconditioner.get());
    }
    call(m_calls.set_tolerance(m_solver.get(), options.tolerance));
    call(m_calls.set_max_iterations(m_solver.get(), options.max_iterations));
    if (options.method == KrylovMethod::pcg) call(HYPRE_PCGSetTwoNorm(m_solver.get(), 1));
    if (options.method == KrylovMethod::gmres)
        call(HYPRE_GMRESSetKDim(m_solver.get(), effective_restart(options)));
    // hypre calls this object as the preconditioner: it records norms and subtracts means around the chosen one.
    call(m_calls.set_preconditioner(m_solver.get(), &apply_step, &set_up_step,
                                    reinterpret_cast<HYPRE_Solver>(this)));
}

void Iteration::make_room(SolveResult& result) const {
    result.history.reserve(
        static_cast<std::size_t>(std::clamp(m_options.max_iterations, 0, 100'000)) + 2);
}

void Iteration::set_up(HYPRE_Vector b, HYPRE_Vector x) {
    if (m_ones.get()) {
        call(m_method.set_to(m_ones.get(), 1));
        m_cells = m_method.algebra.InnerProd(m_ones.get(), m_ones.get());
    }
    call(m_calls.set_up(m_solver.get(), m_a, b, x));
    m_is_set_up = true;
}

void Iteration::run(HYPRE_Vector b, HYPRE_Vector x, SolveResult& result) {
    m_history = &result.history;
    m_applied = m_failed = 0;
    m_right = b;
    if (m_ones.get()) {
        m_right = m_centered.get();
        (void)m_method.algebra.CopyVector(b, m_right);
        take_mean_off(m_right);
    }
    result.right_side = std::sqrt(m_method.algebra.InnerProd(m_right, m_right));
    if (!tells_residuals()) {
        // If b = 0, hypre's pcg alone returns x = 0 for any initial x.
        if (result.right_side == 0) (void)m_method.set_to(x, 0);
        result.history.push_back(residual(x));
    }
    if (!is_solved_by_start(result)) (void)m_calls.solve(m_solver.get(), m_a, m_right, x);

    // bicgstab divides by a scalar product of zero on all ranks at once: hypre reports a generic error.
    const HYPRE_Int code = HYPRE_GetError();
    m_broke_down = m_options.method == KrylovMethod::bicgstab && code == HYPRE_ERROR_GENERIC &&
                   m_applied > 0 && m_failed == 0;
    if (code != HYPRE_ERROR_CONV && !m_broke_down) call(code);
}

HYPRE_Int Iteration::set_up_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector b,
                                 HYPRE_Vector x) {
    const auto& step = *reinterpret_cast<Iteration*>(self);
    return step.m_method.set_up ? step.m_method.set_up(step.m_preconditioner.get(), a, b, x) : 0;
}

/// pcg passes every residual here once, including the first and the last; other methods pass other vectors.
HYPRE_Int Iteration::apply_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector r, HYPRE_Vector z) {
    auto& step = *reinterpret_cast<Iteration*>(self);
    const Method& method = step.m_method;
    ++step.m_applied;
    if (step.tells_residuals())
        step.m_history->push_back(std::sqrt(method.algebra.InnerProd(r, r)));
    if (method.apply)
        (void)method.apply(step.m_preconditioner.get(), a, r, z);
    else
        (void)method.algebra.CopyVector(r, z);
    if (step.m_ones.get()) step.take_mean_off(z);
    step.m_failed |= HYPRE_GetError();
    return HYPRE_GetError();
}

void Iteration::take_mean_off(HYPRE_Vector vector) const {
    const double mean = m_method.algebra.InnerProd(m_ones.get(), vector) / m_cells;
    (void)m_method.algebra.Axpy(-mean, m_ones.get(), vector);
}

/// Continues to the end despite hypre's error flags, because the other ranks wait in the same calls.
double Iteration::residual(HYPRE_Vector x) const {
    (void)m_method.algebra.CopyVector(m_right, m_residual.get());
    (void)m_method.subtract_product(m_a, x, m_residual.get());
    return std::sqrt(m_method.algebra.InnerProd(m_residual.get(), m_residual.get()));
}

/// No residual is small relative to a norm that overflowed.
bool Iteration::is_small(double residual, const SolveResult& result) const {
    return std::isfinite(residual) && residual <= m_options.tolerance * result.right_side;
}

/// If true, hypre must not be asked: its iteration count may belong to an earlier solution.
bool Iteration::is_solved_by_start(const SolveResult& result) const {
    return !tells_residuals() && is_small(result.history.front(), result);
}

/// Whether hypre reports convergence; sets the number of iterations.
bool Iteration::has_converged(SolveResult& result) const {
    HYPRE_Int count = 0;
    if (tells_residuals()) {
        call(HYPRE_PCGGetConverged(m_solver.get(), &count));
        result.iterations = static_cast<int>(result.history.size()) - 1;
        return count != 0;
    }
    if (is_solved_by_start(result)) return true;
    if (m_broke_down) {
        result.iterations = static_cast<int>((m_applied + 1) / 2); // two applications each
        return false;
    }
    HYPRE_Real relative = 0;
    call(m_calls.get_iterations(m_solver.get(), &count));
    call(m_calls.get_relative_residual(m_solver.get(), &relative));
    result.iterations = static_cast<int>(count);
    return relative <= m_options.tolerance;
}

void Iteration::conclude(HYPRE_Vector x, SolveResult& result) const {
    if (result.history.empty()) result.history.push_back(0); // b = 0 and x = 0
    const bool is_converged = has_converged(result);
    if (!tells_residuals() && result.iterations > 0) result.history.push_back(residual(x));
    call(HYPRE_GetError());
    result.residual = result.history.back();
    // A scalar product that is not a number is so on all ranks: an earlier step failed.
    if (m_broke_down && !std::isfinite(result.residual)) call(HYPRE_ERROR_GENERIC);
    // If the initial x solves the equations, hypre meets a scalar product of zero.
    result.converged = is_converged || is_small(result.residual, result);
    if (result.converged) {
        result.reason = "converged";
        return;
    }
    char words[1024] = {};
    HYPRE_DescribeError(HYPRE_ERROR_CONV, words);
    const bool has_ended = !m_broke_down && result.iterations >= m_options.max_iterations;
    result.reason = has_ended ? "max_iterations " : "breakdown ";
    result.reason += words;
    while (result.reason.back() == ' ') result.reason.pop_back();
}

} // namespace distview::hypre::impl
