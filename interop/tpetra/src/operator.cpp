// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace distview::tpetra {

namespace impl {

namespace {

/// A Tpetra::Operator that calls a function for each column.
class FunctionOperator final : public TrilinosOperator {
public:
    FunctionOperator(Teuchos::RCP<const TrilinosMap> map, Apply function)
        : m_map(std::move(map)), m_function(std::move(function)) {}

    Teuchos::RCP<const TrilinosMap> getDomainMap() const override { return m_map; }
    Teuchos::RCP<const TrilinosMap> getRangeMap() const override { return m_map; }

    void apply(const TrilinosVector& x, TrilinosVector& y, Teuchos::ETransp mode, double alpha,
               double beta) const override {
        if (mode != Teuchos::NO_TRANS)
            throw std::invalid_argument("tpetra::Operator: expected apply() with "
                                        "Teuchos::NO_TRANS, got a transposed mode");
        if (alpha == 1 && beta == 0) {
            product(x, y);
            return;
        }
        TrilinosVector ax(m_map, x.getNumVectors(), false);
        product(x, ax);
        y.update(alpha, ax, beta);
    }

private:
    void product(const TrilinosVector& x, TrilinosVector& y) const {
        // Tpetra's kernels may run on another instance of the execution space than the function's.
        Device::execution_space().fence("distview::tpetra::Operator: x is complete");
        for (std::size_t k = 0; k < x.getNumVectors(); ++k) {
            const auto from = x.getVector(k)->getLocalViewDevice(Tpetra::Access::ReadOnly);
            const auto to =
                y.getVectorNonConst(k)->getLocalViewDevice(Tpetra::Access::OverwriteAll);
            m_function(from.data(), to.data());
        }
    }

    Teuchos::RCP<const TrilinosMap> m_map;
    Apply m_function;
};

} // namespace

} // namespace impl

Operator::Operator(const Map& map, impl::Apply apply, const char* space) {
    const Communicator& comm = map.communicator();
    agree_on(comm, "tpetra::Operator",
             [&] { impl::require_reachable("tpetra::Operator", "x and y", space); });
    m_state = std::make_shared<const impl::OperatorState>(impl::OperatorState{
        map, Teuchos::rcp(new impl::FunctionOperator(map.state()->map, std::move(apply)))});
}

Operator Operator::with_diagonal(const MultiVector& diagonal) const {
    agree_on(map().communicator(), "tpetra::Operator::with_diagonal", [&] {
        require<UsageError>(
            diagonal.columns() == 1 && diagonal.map().state() == map().state(), [&] {
                return text(
                    "tpetra::Operator::with_diagonal: expected a vector of 1 column with the "
                    "operator's map, got columns: ",
                    diagonal.columns(), ", map: ",
                    diagonal.map().state() == map().state() ? "the operator's" : "another one");
            });
    });
    Operator result = *this;
    result.m_state = std::make_shared<const impl::OperatorState>(
        impl::OperatorState{map(), m_state->op, diagonal});
    return result;
}

const Map& Operator::map() const { return m_state->map; }

Teuchos::RCP<const Tpetra::Operator<double>> rcp(const Operator& op) { return op.state()->op; }

} // namespace distview::tpetra
