// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack.hpp"

#include <distview/tpetra.hpp>

namespace poisson {

namespace {

namespace tpetra = distview::tpetra;

tpetra::Preconditioner kind_of(Precondition precondition) {
    switch (precondition) {
    case Precondition::jacobi: return tpetra::Preconditioner::jacobi;
    case Precondition::amg: return tpetra::Preconditioner::amg;
    case Precondition::none: break;
    }
    return tpetra::Preconditioner::none;
}

/// `A` is a Matrix or an Operator.
template <class A>
class BelosSolver : public StackSolver {
public:
    template <int Axes>
    BelosSolver(const Stack<Axes>& stack, const tpetra::Map& map, const A& a)
        : m_exec(stack.exec), m_options(stack.options), m_a(a), m_right_side(map, stack.right_side),
          m_u(map, stack.u) {}

    distview::ConjugateGradientResult solve() override {
        const tpetra::SolveResult found =
            tpetra::solve(m_exec, m_a, m_right_side, m_u,
                          {.tolerance = m_options.tolerance,
                           .max_iterations = m_options.max_iterations,
                           .preconditioner = kind_of(m_options.precondition),
                           .nullspace = m_options.shape.is_singular() ? tpetra::Nullspace::constant
                                                                      : tpetra::Nullspace::none,
                           .has_to_converge = false});
        using Stop = distview::ConjugateGradientStop;
        return {found.converged                                ? Stop::converged
                : found.iterations >= m_options.max_iterations ? Stop::max_iterations
                                                               : Stop::breakdown,
                found.iterations, found.residual, found.right_side, found.history};
    }

private:
    program::Exec m_exec;
    Options m_options;
    A m_a;
    tpetra::MultiVector m_right_side;
    tpetra::MultiVector m_u;
};

} // namespace

template <int Axes>
std::unique_ptr<StackSolver> make_belos_solver(Stack<Axes>& stack) {
    const tpetra::Map map(stack.rows);
    if (stack.options.assembled) {
        const tpetra::Matrix a(map, stack.system.assemble(stack.rows));
        return std::make_unique<BelosSolver<tpetra::Matrix>>(stack, map, a);
    }
    const tpetra::Operator a =
        tpetra::make_operator<typename DataOf<Axes>::type>(stack.exec, map, stack.system.stencil())
            .with_diagonal({map, stack.system.make_diagonal(stack.rows.layout())});
    return std::make_unique<BelosSolver<tpetra::Operator>>(stack, map, a);
}

template std::unique_ptr<StackSolver> make_belos_solver(Stack<2>&);
template std::unique_ptr<StackSolver> make_belos_solver(Stack<3>&);

} // namespace poisson
