// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gradients.hpp"

#include "call.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace distview::hypre::impl {

namespace {

/// Owns a solver of hypre.
class Solver {
public:
    Solver(MPI_Comm comm, Method::Create create, Method::Destroy destroy) : m_destroy(destroy) {
        if (create) call(create(comm, &m_solver));
    }
    ~Solver() {
        if (m_solver) (void)m_destroy(m_solver);
    }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    HYPRE_Solver get() const noexcept { return m_solver; }

private:
    HYPRE_Solver m_solver = nullptr;
    Method::Destroy m_destroy;
};

/// A vector of hypre like another, or none.
class Work {
public:
    Work(const mv_InterfaceInterpreter& algebra, HYPRE_Vector like)
        : m_algebra(algebra),
          m_vector(like ? static_cast<HYPRE_Vector>(algebra.CreateVector(like)) : nullptr) {}
    ~Work() {
        if (m_vector) (void)m_algebra.DestroyVector(m_vector);
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    HYPRE_Vector get() const noexcept { return m_vector; }

private:
    const mv_InterfaceInterpreter& m_algebra;
    HYPRE_Vector m_vector;
};

/// What hypre calls as a preconditioner: another one, between taking notes and taking means off.
struct Step {
    const Method& method;
    HYPRE_Solver preconditioner;
    HYPRE_Vector ones; ///< null unless the null space is that of constants
    double cells;
    std::vector<double>& history;

    void take_mean_off(HYPRE_Vector vector) const {
        const double mean = method.algebra.InnerProd(ones, vector) / cells;
        (void)method.algebra.Axpy(-mean, ones, vector);
    }
};

HYPRE_Int set_up_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector b, HYPRE_Vector x) {
    const auto& step = *reinterpret_cast<Step*>(self);
    return step.method.set_up ? step.method.set_up(step.preconditioner, a, b, x) : 0;
}

/// Every residual passes here once, the first one and the last one, too.
HYPRE_Int apply_step(HYPRE_Solver self, HYPRE_Matrix a, HYPRE_Vector r, HYPRE_Vector z) {
    const auto& step = *reinterpret_cast<Step*>(self);
    step.history.push_back(std::sqrt(step.method.algebra.InnerProd(r, r)));
    if (step.method.apply)
        (void)step.method.apply(step.preconditioner, a, r, z);
    else
        (void)step.method.algebra.CopyVector(r, z);
    if (step.ones) step.take_mean_off(z);
    return HYPRE_GetError();
}

/// What came of it: not to converge is no failure of hypre's.
void conclude(SolveResult& result, HYPRE_Solver gradients, const SolveOptions& options) {
    const HYPRE_Int code = HYPRE_GetError();
    if (code != HYPRE_ERROR_CONV) call(code);
    (void)HYPRE_ClearAllErrors();
    HYPRE_Int is_converged = 0;
    call(HYPRE_PCGGetConverged(gradients, &is_converged));
    if (result.history.empty()) result.history.push_back(0); // b = 0 and x = 0
    result.residual = result.history.back();
    result.iterations = static_cast<int>(result.history.size()) - 1;
    // An x that solves the equations from the start is a zero scalar product for hypre.
    result.converged =
        is_converged != 0 || result.residual <= options.tolerance * result.right_side;
    if (result.converged) {
        result.reason = "converged";
        return;
    }
    char words[1024] = {};
    HYPRE_DescribeError(HYPRE_ERROR_CONV, words);
    result.reason = result.iterations >= options.max_iterations ? "max_iterations " : "breakdown ";
    result.reason += words;
    while (result.reason.back() == ' ') result.reason.pop_back();
}

} // namespace

SolveResult solve_with_gradients(MPI_Comm comm, const Method& method, HYPRE_Matrix a,
                                 HYPRE_Vector b, HYPRE_Vector x, const SolveOptions& options) {
    SolveResult result;
    result.history.reserve(
        static_cast<std::size_t>(std::clamp(options.max_iterations, 0, 100'000)) + 2);
    const Solver gradients(comm, method.create_gradients, method.destroy_gradients);
    const Solver preconditioner(comm, method.create_preconditioner, method.destroy_preconditioner);
    if (preconditioner.get()) {
        if (method.tune) method.tune(preconditioner.get());
        if (options.tune) options.tune(preconditioner.get());
    }

    Step step{method, preconditioner.get(), nullptr, 0, result.history};
    const Work ones(method.algebra, options.constant_null_space ? b : nullptr);
    const Work centered(method.algebra, options.constant_null_space ? b : nullptr);
    if (options.constant_null_space) {
        call(method.set_ones(ones.get()));
        step.ones = ones.get();
        step.cells = method.algebra.InnerProd(ones.get(), ones.get());
        (void)method.algebra.CopyVector(b, centered.get());
        step.take_mean_off(centered.get());
        b = centered.get();
    }
    result.right_side = std::sqrt(method.algebra.InnerProd(b, b));

    call(HYPRE_PCGSetTol(gradients.get(), options.tolerance));
    call(HYPRE_PCGSetMaxIter(gradients.get(), options.max_iterations));
    call(HYPRE_PCGSetTwoNorm(gradients.get(), 1));
    call(HYPRE_PCGSetPrecond(gradients.get(), &apply_step, &set_up_step,
                             reinterpret_cast<HYPRE_Solver>(&step)));
    call(HYPRE_PCGSetup(gradients.get(), a, b, x));
    (void)HYPRE_PCGSolve(gradients.get(), a, b, x);
    conclude(result, gradients.get(), options);
    return result;
}

} // namespace distview::hypre::impl
