// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gradients.hpp"

#include "call.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace distview::hypre::impl {

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

Gradients::Gradients(MPI_Comm comm, const Method& method, HYPRE_Matrix a, HYPRE_Vector like,
                     const SolveOptions& options)
    : m_method(method), m_a(a), m_options(options),
      m_gradients(comm, method.create_gradients, method.destroy_gradients),
      m_preconditioner(comm, method.create_preconditioner, method.destroy_preconditioner),
      m_ones(m_method.algebra, options.constant_null_space ? like : nullptr),
      m_centered(m_method.algebra, options.constant_null_space ? like : nullptr) {
    if (m_preconditioner.get()) {
        if (method.tune) method.tune(m_preconditioner.get());
        if (options.tune) options.tune(m_preconditioner.get());
    }
    call(HYPRE_PCGSetTol(m_gradients.get(), options.tolerance));
    call(HYPRE_PCGSetMaxIter(m_gradients.get(), options.max_iterations));
    call(HYPRE_PCGSetTwoNorm(m_gradients.get(), 1));
    // For hypre this object is the preconditioner: notes and means are taken around the one that was asked for.
    call(HYPRE_PCGSetPrecond(m_gradients.get(), &apply_step, &set_up_step,
                             reinterpret_cast<HYPRE_Solver>(this)));
}

void Gradients::make_room(SolveResult& result) const {
    result.history.reserve(
        static_cast<std::size_t>(std::clamp(m_options.max_iterations, 0, 100'000)) + 2);
}

void Gradients::solve(HYPRE_Vector b, HYPRE_Vector x, SolveResult& result) {
    m_history = &result.history;
    if (m_ones.get()) {
        if (!m_is_set_up) {
            call(m_method.set_ones(m_ones.get()));
            m_cells = m_method.algebra.InnerProd(m_ones.get(), m_ones.get());
        }
        (void)m_method.algebra.CopyVector(b, m_centered.get());
        take_mean_off(m_centered.get());
        b = m_centered.get();
    }
    result.right_side = std::sqrt(m_method.algebra.InnerProd(b, b));
    if (!m_is_set_up) call(HYPRE_PCGSetup(m_gradients.get(), m_a, b, x));
    m_is_set_up = true;
    (void)HYPRE_PCGSolve(m_gradients.get(), m_a, b, x);
    conclude(result);
}

HYPRE_Int Gradients::set_up_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector b,
                                 HYPRE_Vector x) {
    const auto& step = *reinterpret_cast<Gradients*>(self);
    return step.m_method.set_up ? step.m_method.set_up(step.m_preconditioner.get(), a, b, x) : 0;
}

/// Every residual passes here once, the first one and the last one, too.
HYPRE_Int Gradients::apply_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector r, HYPRE_Vector z) {
    const auto& step = *reinterpret_cast<Gradients*>(self);
    const Method& method = step.m_method;
    step.m_history->push_back(std::sqrt(method.algebra.InnerProd(r, r)));
    if (method.apply)
        (void)method.apply(step.m_preconditioner.get(), a, r, z);
    else
        (void)method.algebra.CopyVector(r, z);
    if (step.m_ones.get()) step.take_mean_off(z);
    return HYPRE_GetError();
}

void Gradients::take_mean_off(HYPRE_Vector vector) const {
    const double mean = m_method.algebra.InnerProd(m_ones.get(), vector) / m_cells;
    (void)m_method.algebra.Axpy(-mean, m_ones.get(), vector);
}

/// What came of it: not to converge is no failure of hypre's.
void Gradients::conclude(SolveResult& result) const {
    const HYPRE_Int code = HYPRE_GetError();
    if (code != HYPRE_ERROR_CONV) call(code);
    (void)HYPRE_ClearAllErrors();
    HYPRE_Int is_converged = 0;
    call(HYPRE_PCGGetConverged(m_gradients.get(), &is_converged));
    if (result.history.empty()) result.history.push_back(0); // b = 0 and x = 0
    result.residual = result.history.back();
    result.iterations = static_cast<int>(result.history.size()) - 1;
    // An x that solves the equations from the start is a zero scalar product for hypre.
    result.converged =
        is_converged != 0 || result.residual <= m_options.tolerance * result.right_side;
    if (result.converged) {
        result.reason = "converged";
        return;
    }
    char words[1024] = {};
    HYPRE_DescribeError(HYPRE_ERROR_CONV, words);
    result.reason =
        result.iterations >= m_options.max_iterations ? "max_iterations " : "breakdown ";
    result.reason += words;
    while (result.reason.back() == ' ') result.reason.pop_back();
}

} // namespace distview::hypre::impl
