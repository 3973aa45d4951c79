// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack.hpp"

#include <distview/petsc.hpp>

namespace poisson {

namespace {

namespace petsc = distview::petsc;

const char* type_of(Precondition precondition) {
    switch (precondition) {
    case Precondition::jacobi: return "jacobi";
    case Precondition::amg: return "gamg";
    case Precondition::none: break;
    }
    return "none";
}

template <int Axes>
class PetscSolver : public StackSolver {
public:
    explicit PetscSolver(Stack<Axes>& stack)
        : m_stack(stack), m_session(stack.comm), m_matrix(make_matrix(stack)),
          m_right_side(petsc::vector(stack.rows, stack.right_side)),
          m_u(petsc::vector(stack.rows, stack.u)) {
        if (stack.options.shape.is_singular()) petsc::set_constant_null_space(stack.rows, m_matrix);
    }

    distview::ConjugateGradientResult solve() override {
        const Options& options = m_stack.options;
        const petsc::SolveResult found =
            petsc::solve(m_stack.comm, m_matrix, m_right_side, m_u,
                         {.preconditioner = type_of(options.precondition),
                          .tolerance = options.tolerance,
                          .max_iterations = options.max_iterations,
                          .has_to_converge = false});
        using Stop = distview::ConjugateGradientStop;
        return {found.converged                              ? Stop::converged
                : found.iterations >= options.max_iterations ? Stop::max_iterations
                                                             : Stop::breakdown,
                found.iterations, found.residual, found.right_side, found.history};
    }

private:
    static petsc::Matrix make_matrix(Stack<Axes>& stack) {
        if (stack.options.assembled) return petsc::aij_matrix(stack.system.assemble(stack.rows));
        return petsc::shell_matrix<typename DataOf<Axes>::type>(
            stack.exec, stack.rows, stack.system.stencil(),
            stack.system.make_diagonal(stack.rows.layout()));
    }

    Stack<Axes>& m_stack;
    petsc::Session m_session;
    petsc::Matrix m_matrix;
    petsc::Vector m_right_side;
    petsc::Vector m_u;
};

} // namespace

template <int Axes>
std::unique_ptr<StackSolver> make_petsc_solver(Stack<Axes>& stack) {
    return std::make_unique<PetscSolver<Axes>>(stack);
}

template std::unique_ptr<StackSolver> make_petsc_solver(Stack<2>&);
template std::unique_ptr<StackSolver> make_petsc_solver(Stack<3>&);

} // namespace poisson
