// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "precondition.hpp"
#include "states.hpp"

#include <distview/core/hash.hpp>

#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_oblackholestream.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::tpetra {

namespace impl {

/// A and its preconditioner.
struct SolverState {
    Map map;
    Teuchos::RCP<const TrilinosOperator> a;
    SolveOptions options;
    Teuchos::RCP<const TrilinosOperator> preconditioner{}; ///< null for none
    std::optional<Matrix> matrix{};                        ///< empty for an Operator
    std::int64_t changes = 0; ///< MatrixState::changes when the preconditioner was made
};

namespace {

/// Applies an operator, and subtracts the mean from its result.
class WithoutMean final : public TrilinosOperator {
public:
    explicit WithoutMean(Teuchos::RCP<const TrilinosOperator> op) : m_op(std::move(op)) {}

    Teuchos::RCP<const TrilinosMap> getDomainMap() const override { return m_op->getDomainMap(); }
    Teuchos::RCP<const TrilinosMap> getRangeMap() const override { return m_op->getRangeMap(); }

    void apply(const TrilinosVector& x, TrilinosVector& y, Teuchos::ETransp mode, double alpha,
               double beta) const override {
        m_op->apply(x, y, mode, alpha, beta);
        TrilinosVector ones(y.getMap(), y.getNumVectors());
        std::vector<double> means(y.getNumVectors());
        y.meanValue(Teuchos::arrayViewFromVector(means));
        for (std::size_t k = 0; k < means.size(); ++k)
            ones.getVectorNonConst(k)->putScalar(means[k]);
        y.update(-1, ones, 1);
    }

private:
    Teuchos::RCP<const TrilinosOperator> m_op;
};

/// The preconditioner that Belos calls: records the norms of residuals, then applies the given preconditioner, if any.
/// Belos passes each residual once, and again with fewer columns after a column has converged.
class TakingNotes final : public TrilinosOperator {
public:
    TakingNotes(Teuchos::RCP<const TrilinosOperator> a, Teuchos::RCP<const TrilinosOperator> m,
                std::vector<double>& history)
        : m_a(std::move(a)), m_m(std::move(m)), m_history(history) {}

    Teuchos::RCP<const TrilinosMap> getDomainMap() const override { return m_a->getDomainMap(); }
    Teuchos::RCP<const TrilinosMap> getRangeMap() const override { return m_a->getRangeMap(); }

    void apply(const TrilinosVector& r, TrilinosVector& z, Teuchos::ETransp mode, double alpha,
               double beta) const override {
        // Once a column has converged, Belos continues without it from residuals that were recorded already.
        const std::size_t columns = r.getNumVectors();
        if (columns >= m_columns) {
            std::vector<double> norms(columns);
            r.norm2(Teuchos::arrayViewFromVector(norms));
            m_history.push_back(norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end()));
        }
        m_columns = columns;
        if (m_m.is_null())
            z.update(alpha, r, beta);
        else
            m_m->apply(r, z, mode, alpha, beta);
    }

private:
    Teuchos::RCP<const TrilinosOperator> m_a, m_m;
    std::vector<double>& m_history;
    mutable std::size_t m_columns = 0; ///< of the previous residuals
};

void agree_on_options(const Communicator& comm, const char* caller, const SolveOptions& options) {
    std::exception_ptr failure;
    if (!(options.tolerance >= 0) || options.max_iterations < 1)
        failure = std::make_exception_ptr(
            UsageError(text(caller, ": expected a tolerance >= 0 and max_iterations >= 1, got ",
                            options.tolerance, " and ", options.max_iterations)));
    const std::uint64_t digest =
        hash_of(options.tolerance, options.max_iterations, options.preconditioner,
                options.nullspace, options.has_to_converge);
    agree(comm, caller, failure, digest, [&] {
        return std::vector<Argument>{
            {"tolerance", exact_text(options.tolerance)},
            {"max_iterations", text(options.max_iterations)},
            {"preconditioner", name_of(options.preconditioner)},
            {"nullspace", options.nullspace == Nullspace::none ? "none" : "constant"},
            {"has_to_converge", text(options.has_to_converge)}};
    });
}

/// Whether a column of one vector overlaps in memory with a column of the other.
bool share_memory(const MultiVector& b, const MultiVector& x) {
    const std::less<const double*> before; // also orders pointers to unrelated arrays
    const std::int64_t of_b = b.map().local_size(), of_x = x.map().local_size();
    if (of_b == 0 || of_x == 0) return false;
    for (int i = 0; i < b.columns(); ++i)
        for (int j = 0; j < x.columns(); ++j)
            if (before(b.data(i), x.data(j) + of_x) && before(x.data(j), b.data(i) + of_b))
                return true;
    return false;
}

/// Throws UsageError on all ranks unless b and x have A's map, equally many columns and separate memory. Collective.
void require_vectors(const char* caller, const Map& map, const MultiVector& b,
                     const MultiVector& x) {
    const Communicator& comm = map.communicator();
    std::exception_ptr failure;
    try {
        // Comparing maps communicates, so compare their ranks first.
        for (const MultiVector* vector : {&b, &x})
            require<UsageError>(are_congruent(comm, vector->map().communicator()), [&] {
                return text(caller, ": expected ", vector == &b ? "b" : "x", " over the ",
                            comm.size(), " processes of A in the same order, got it over ",
                            vector->map().communicator().size(), " of another communicator");
            });
        require<UsageError>(b.columns() == x.columns(), [&] {
            return text(caller, ": expected x and b with equally many columns, got ", x.columns(),
                        " and ", b.columns());
        });
        require<UsageError>(!share_memory(b, x), [&] {
            return text(caller, ": expected b and x in separate memory, got arrays that share "
                                "memory");
        });
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, caller, failure, hash_of(x.columns()),
          [&] { return std::vector<Argument>{{"columns", text(x.columns())}}; });
    guarded(comm, caller, [&] {
        // Each rank gets the same result of operator==.
        for (const MultiVector* vector : {&b, &x})
            require<UsageError>(map == vector->map(), [&] {
                return text(caller, ": expected ", vector == &b ? "b" : "x",
                            " with the map of A, got a vector with another map");
            });
    });
}

Teuchos::RCP<Teuchos::ParameterList> parameters(const SolveOptions& options) {
    auto list = Teuchos::rcp(new Teuchos::ParameterList);
    list->set("Convergence Tolerance", options.tolerance);
    list->set("Maximum Iterations", options.max_iterations);
    list->set("Implicit Residual Scaling", "Norm of RHS");
    list->set("Verbosity", static_cast<int>(Belos::Errors));
    // The library does not print.
    list->set("Output Stream", Teuchos::RCP<std::ostream>(new Teuchos::oblackholestream));
    return list;
}

/// Sets the norms of the column whose residual is the largest relative to its right side.
void measure(const TrilinosOperator& a, const TrilinosVector& b, const TrilinosVector& x,
             SolveResult& result) {
    TrilinosVector r(b, Teuchos::Copy);
    TrilinosVector ax(x.getMap(), x.getNumVectors(), false);
    a.apply(x, ax);
    r.update(-1, ax, 1);
    std::vector<double> residuals(r.getNumVectors()), right_sides(r.getNumVectors());
    r.norm2(Teuchos::arrayViewFromVector(residuals));
    b.norm2(Teuchos::arrayViewFromVector(right_sides));
    for (std::size_t k = 0; k < residuals.size(); ++k) {
        const bool worse = residuals[k] * result.right_side >= result.residual * right_sides[k];
        if (k > 0 && !worse && !std::isnan(residuals[k])) continue;
        result.residual = residuals[k];
        result.right_side = right_sides[k];
        if (std::isnan(residuals[k])) break;
    }
}

SolveResult iterate(const char* caller, const SolverState& solver, const MultiVector& b,
                    const MultiVector& x) {
    Teuchos::RCP<const TrilinosOperator> a = solver.a, m = solver.preconditioner;
    if (solver.options.nullspace == Nullspace::constant) {
        a = Teuchos::rcp(new WithoutMean(a));
        if (!m.is_null()) m = Teuchos::rcp(new WithoutMean(m));
    }
    const Teuchos::RCP<const TrilinosVector> right_side = rcp(b);
    using Problem = Belos::LinearProblem<double, TrilinosVector, TrilinosOperator>;
    auto problem = Teuchos::rcp(new Problem(a, rcp(x), right_side));
    SolveResult result;
    problem->setLeftPrec(Teuchos::rcp(new TakingNotes(a, m, result.history)));
    problem->setHermitian();
    problem->setProblem();
    result.history
        .clear(); // setProblem() recorded the first residual; manager.solve() records it again
    Belos::PseudoBlockCGSolMgr<double, TrilinosVector, TrilinosOperator> manager(
        problem, parameters(solver.options));
    result.converged = manager.solve() == Belos::Converged;
    result.iterations = manager.getNumIters();
    measure(*solver.a, *right_side, *rcp(x), result);
    require<Error>(std::isfinite(result.residual), [&] {
        return text(caller, ": expected a finite norm of the residual, got ", result.residual,
                    "; A, b or the first x may contain NaN or infinite elements");
    });
    Device::execution_space().fence("distview::tpetra::solve: x is complete");
    return result;
}

/// Agrees on the options and makes the preconditioner. Collective.
template <class A>
SolverState make_solver(const char* caller, const A& a, const SolveOptions& options) {
    const Communicator& comm = a.map().communicator();
    agree_on_options(comm, caller, options);
    SolverState solver{a.map(), rcp(a), options};
    guarded(comm, caller, [&] { solver.preconditioner = preconditioner_of(caller, a, options); });
    if constexpr (std::is_same_v<A, Matrix>) {
        solver.matrix = a;
        solver.changes = a.state()->changes;
    }
    return solver;
}

/// Makes the preconditioner anew if set_values() has changed the matrix. Collective.
void follow_matrix(const char* caller, SolverState& solver) {
    if (!solver.matrix || solver.matrix->state()->changes == solver.changes) return;
    solver.preconditioner = Teuchos::null; // frees its memory before the new one is made
    guarded(solver.map.communicator(), caller, [&] {
        solver.preconditioner = preconditioner_of(caller, *solver.matrix, solver.options);
    });
    solver.changes = solver.matrix->state()->changes;
}

SolveResult solve_with(const char* caller, const SolverState& solver, const MultiVector& b,
                       const MultiVector& x) {
    const Communicator& comm = solver.map.communicator();
    SolveResult result;
    x.state()->array->mark_written(); // a failed solution writes x as well
    guarded(comm, caller, [&] { result = iterate(caller, solver, b, x); });
    if (!result.converged && solver.options.has_to_converge)
        throw SolverError(text(caller, ": expected a residual of at most ",
                               solver.options.tolerance, " times the norm of b, ",
                               result.right_side, ", got ", result.residual, " after ",
                               result.iterations, " iterations"),
                          0);
    return result;
}

template <class A>
SolveResult solve_once(const A& a, const MultiVector& b, const MultiVector& x,
                       const SolveOptions& options) {
    constexpr const char* caller = "tpetra::solve";
    const CollectiveCall call(a.map().communicator(), caller);
    require_vectors(caller, a.map(), b, x);
    return solve_with(caller, make_solver(caller, a, options), b, x);
}

template <class A>
std::shared_ptr<SolverState> make_shared_solver(const A& a, const SolveOptions& options) {
    constexpr const char* caller = "tpetra::Solver";
    const CollectiveCall call(a.map().communicator(), caller);
    return std::make_shared<SolverState>(make_solver(caller, a, options));
}

} // namespace

SolveResult solve(const Operator& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options) {
    return solve_once(a, b, x, options);
}

SolveResult solve(const Matrix& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options) {
    return solve_once(a, b, x, options);
}

} // namespace impl

Solver::Solver(const Operator& a, const SolveOptions& options)
    : m_state(impl::make_shared_solver(a, options)) {}
Solver::Solver(const Matrix& a, const SolveOptions& options)
    : m_state(impl::make_shared_solver(a, options)) {}

SolveResult Solver::run(const MultiVector& b, const MultiVector& x) const {
    constexpr const char* caller = "tpetra::Solver::solve";
    const CollectiveCall call(m_state->map.communicator(), caller);
    impl::require_vectors(caller, m_state->map, b, x);
    impl::follow_matrix(caller, *m_state);
    return impl::solve_with(caller, *m_state, b, x);
}

} // namespace distview::tpetra
