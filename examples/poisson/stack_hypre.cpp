// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack.hpp"

#include <distview/hypre.hpp>

namespace poisson {

namespace {

namespace hypre = distview::hypre;

const char* name_of(Precondition precondition) {
    switch (precondition) {
    case Precondition::jacobi: return "jacobi";
    case Precondition::amg: return "boomeramg";
    case Precondition::none: break;
    }
    return "none";
}

template <int Axes>
class HypreSolver : public StackSolver {
public:
    explicit HypreSolver(Stack<Axes>& stack)
        : m_stack(stack), m_session(stack.comm),
          m_matrix(hypre::ij_matrix(stack.system.assemble(stack.rows))),
          m_right_side(hypre::vector(stack.rows, stack.right_side)),
          m_u(hypre::vector(stack.rows, stack.u)) {}

    distview::ConjugateGradientResult solve() override {
        const Options& options = m_stack.options;
        const hypre::SolveResult found =
            hypre::solve(m_stack.comm, m_matrix, m_right_side, m_u,
                         {.preconditioner = name_of(options.precondition),
                          .tolerance = options.tolerance,
                          .max_iterations = options.max_iterations,
                          .has_to_converge = false,
                          .constant_null_space = options.shape.is_singular()});
        using Stop = distview::ConjugateGradientStop;
        return {found.converged                              ? Stop::converged
                : found.iterations >= options.max_iterations ? Stop::max_iterations
                                                             : Stop::breakdown,
                found.iterations, found.residual, found.right_side, found.history};
    }

private:
    Stack<Axes>& m_stack;
    hypre::Session m_session;
    hypre::Matrix m_matrix;
    hypre::Vector m_right_side;
    hypre::Vector m_u;
};

} // namespace

template <int Axes>
std::unique_ptr<StackSolver> make_hypre_solver(Stack<Axes>& stack) {
    return std::make_unique<HypreSolver<Axes>>(stack);
}

template std::unique_ptr<StackSolver> make_hypre_solver(Stack<2>&);
template std::unique_ptr<StackSolver> make_hypre_solver(Stack<3>&);

} // namespace poisson
