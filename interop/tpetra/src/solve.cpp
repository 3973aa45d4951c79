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
#include <string>
#include <utility>
#include <vector>

namespace distview::tpetra::impl {

namespace {

constexpr const char* caller = "tpetra::solve";

/// The operator, and the mean taken off what it gives.
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

/// What Belos calls as a preconditioner: another one, or none, that takes notes of residuals. Each passes here once.
class TakingNotes final : public TrilinosOperator {
public:
    TakingNotes(Teuchos::RCP<const TrilinosOperator> a, Teuchos::RCP<const TrilinosOperator> m,
                std::vector<double>& history)
        : m_a(std::move(a)), m_m(std::move(m)), m_history(history) {}

    Teuchos::RCP<const TrilinosMap> getDomainMap() const override { return m_a->getDomainMap(); }
    Teuchos::RCP<const TrilinosMap> getRangeMap() const override { return m_a->getRangeMap(); }

    void apply(const TrilinosVector& r, TrilinosVector& z, Teuchos::ETransp mode, double alpha,
               double beta) const override {
        std::vector<double> norms(r.getNumVectors());
        r.norm2(Teuchos::arrayViewFromVector(norms));
        m_history.push_back(norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end()));
        if (m_m.is_null())
            z.update(alpha, r, beta);
        else
            m_m->apply(r, z, mode, alpha, beta);
    }

private:
    Teuchos::RCP<const TrilinosOperator> m_a, m_m;
    std::vector<double>& m_history;
};

std::string name_of(Preconditioner which) {
    switch (which) {
    case Preconditioner::jacobi: return "jacobi";
    case Preconditioner::amg: return "amg";
    case Preconditioner::none: break;
    }
    return "none";
}

/// Options and columns must be the same on all ranks.
void agree_on_arguments(const Communicator& comm, const MultiVector& b, const MultiVector& x,
                        const SolveOptions& options) {
    std::exception_ptr failure;
    try {
        // Comparing maps communicates.
        for (const MultiVector* vector : {&b, &x})
            require<UsageError>(are_congruent(comm, vector->map().communicator()), [&] {
                return text(caller, ": expected ", vector == &b ? "b" : "x", " over the ",
                            comm.size(), " processes of A, got one over others, ",
                            vector->map().communicator().size());
            });
        require<UsageError>(b.columns() == x.columns(), [&] {
            return text(caller, ": expected x and b of equally many columns, got ", x.columns(),
                        " and ", b.columns());
        });
        require<UsageError>(options.tolerance >= 0 && options.max_iterations >= 1, [&] {
            return text(caller, ": expected a tolerance >= 0 and max_iterations >= 1, got ",
                        options.tolerance, " and ", options.max_iterations);
        });
    } catch (const Error&) {
        failure = std::current_exception();
    }
    const std::uint64_t digest =
        hash_of(options.tolerance, options.max_iterations, options.preconditioner,
                options.nullspace, x.columns(), options.has_to_converge);
    agree(comm, caller, failure, digest, [&] {
        return std::vector<Argument>{
            {"tolerance", exact_text(options.tolerance)},
            {"max_iterations", text(options.max_iterations)},
            {"preconditioner", name_of(options.preconditioner)},
            {"nullspace", options.nullspace == Nullspace::none ? "none" : "constant"},
            {"columns", text(x.columns())},
            {"has_to_converge", text(options.has_to_converge)}};
    });
}

void require_map(const Map& map, const Map& other, const char* name) {
    // What operator== says is the same on every rank.
    require<UsageError>(map == other, [&] {
        return text(caller, ": expected ", name, " with the map of A, got one of another map");
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

/// The norms of the column whose residual is the largest in relation to its right side.
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

SolveResult iterate(Teuchos::RCP<const TrilinosOperator> a, Teuchos::RCP<const TrilinosOperator> m,
                    const MultiVector& b, const MultiVector& x, const SolveOptions& options) {
    const Teuchos::RCP<const TrilinosOperator> original = a;
    if (options.nullspace == Nullspace::constant) {
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
        .clear(); // that has been the first residual, which the iteration begins with anew
    Belos::PseudoBlockCGSolMgr<double, TrilinosVector, TrilinosOperator> solver(
        problem, parameters(options));
    result.converged = solver.solve() == Belos::Converged;
    result.iterations = solver.getNumIters();
    measure(*original, *right_side, *rcp(x), result);
    require<Error>(std::isfinite(result.residual), [&] {
        return text(caller, ": expected a solution of finite numbers, got a residual of ",
                    result.residual);
    });
    Device::execution_space().fence("distview::tpetra::solve: x is complete");
    return result;
}

template <class A, class MakePreconditioner>
SolveResult solve_with(const Map& map, const A& op, const MultiVector& b, const MultiVector& x,
                       const SolveOptions& options, const MakePreconditioner& precondition) {
    const Communicator& comm = map.communicator();
    const CollectiveCall call(comm, caller);
    agree_on_arguments(comm, b, x, options);
    SolveResult result;
    x.state()->array->mark_written(); // also by a solution that fails
    guarded(comm, caller, [&] {
        require_map(map, b.map(), "b");
        require_map(map, x.map(), "x");
        result = iterate(op, precondition(), b, x, options);
    });
    if (!result.converged && options.has_to_converge)
        throw SolverError(text(caller, ": expected a residual of at most ", options.tolerance,
                               " of the right side's, got one of ", result.residual, " after ",
                               result.iterations, " iterations"),
                          0);
    return result;
}

} // namespace

SolveResult solve(const Operator& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options) {
    return solve_with(
        a.map(), rcp(a), b, x, options, [&]() -> Teuchos::RCP<const TrilinosOperator> {
            if (options.preconditioner == Preconditioner::none) return Teuchos::null;
            const auto& diagonal = a.state()->diagonal;
            if (options.preconditioner == Preconditioner::jacobi && diagonal)
                return preconditioner_of(*diagonal);
            throw UsageError(text(caller, ": expected a Matrix, of which the preconditioner ",
                                  name_of(options.preconditioner),
                                  " is made (jacobi: or an Operator with_diagonal()), got an "
                                  "Operator"));
        });
}

SolveResult solve(const Matrix& a, const MultiVector& b, const MultiVector& x,
                  const SolveOptions& options) {
    const Teuchos::RCP<TrilinosMatrix> matrix = rcp(a);
    return solve_with(a.map(), Teuchos::RCP<const TrilinosOperator>(matrix), b, x, options,
                      [&] { return preconditioner_of(a.map().communicator(), matrix, options); });
}

} // namespace distview::tpetra::impl
