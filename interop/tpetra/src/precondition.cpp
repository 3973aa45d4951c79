// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precondition.hpp"

#include <distview/comm/agreement.hpp>

#ifdef DISTVIEW_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Vector.hpp>

#include <cstddef>

namespace distview::tpetra {

namespace impl {

namespace {

/// y = x / diagonal, element by element.
class DiagonalInverse final : public TrilinosOperator {
public:
    using Vector = Tpetra::Vector<double>;

    DiagonalInverse(const char* caller, const Vector& diagonal)
        : m_inverse(diagonal.getMap(), false) {
        const auto from = diagonal.getLocalViewHost(Tpetra::Access::ReadOnly);
        const auto to = m_inverse.getLocalViewHost(Tpetra::Access::OverwriteAll);
        for (std::size_t n = 0; n < from.extent(0); ++n) {
            require<Error>(from(n, 0) != 0, [&] {
                return text(
                    caller,
                    ": expected a diagonal without zeros for the preconditioner jacobi, got a zero "
                    "in row ",
                    diagonal.getMap()->getGlobalElement(static_cast<LocalOrdinal>(n)));
            });
            to(n, 0) = 1 / from(n, 0);
        }
    }

    Teuchos::RCP<const TrilinosMap> getDomainMap() const override { return m_inverse.getMap(); }
    Teuchos::RCP<const TrilinosMap> getRangeMap() const override { return m_inverse.getMap(); }

    void apply(const TrilinosVector& x, TrilinosVector& y, Teuchos::ETransp, double alpha,
               double beta) const override {
        y.elementWiseMultiply(alpha, m_inverse, x, beta);
    }

private:
    Vector m_inverse;
};

/// Agrees on the result: only some ranks may have a zero on the diagonal.
Teuchos::RCP<const TrilinosOperator> inverse_of(const char* caller, const Communicator& comm,
                                                const DiagonalInverse::Vector& diagonal) {
    return agree_on(comm, caller, [&]() -> Teuchos::RCP<const TrilinosOperator> {
        return Teuchos::rcp(new DiagonalInverse(caller, diagonal));
    });
}

Teuchos::RCP<const TrilinosOperator> amg([[maybe_unused]] const char* caller,
                                         [[maybe_unused]] const Matrix& a,
                                         [[maybe_unused]] Nullspace nullspace) {
#ifdef DISTVIEW_HAVE_MUELU
    Teuchos::ParameterList list;
    list.set("verbosity", "none");
    const auto& numbering = a.map().state()->numbering;
    list.set("number of equations", numbering ? numbering->unknowns_per_cell() : 1);
    if (nullspace == Nullspace::constant) {
        // The coarsest matrix is singular too and has no factorisation: smooth it.
        list.set("coarse: type", "RELAXATION");
        Teuchos::ParameterList& coarse = list.sublist("coarse: params");
        coarse.set("relaxation: type", "Symmetric Gauss-Seidel");
        coarse.set("relaxation: sweeps", 8);
    }
    const Teuchos::RCP<TrilinosOperator> op = rcp(a);
    return MueLu::CreateTpetraPreconditioner<double, LocalOrdinal, GlobalOrdinal,
                                             TrilinosMap::node_type>(op, list);
#else
    throw UsageError(
        text(caller, ": expected a preconditioner that the installed Trilinos has, got amg, which "
                     "needs MueLu; this Trilinos has no MueLu"));
#endif
}

} // namespace

Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Matrix& a,
                                                       const SolveOptions& options) {
    const Teuchos::RCP<TrilinosMatrix> matrix = rcp(a);
    switch (options.preconditioner) {
    case Preconditioner::jacobi: {
        DiagonalInverse::Vector diagonal(matrix->getRowMap());
        matrix->getLocalDiagCopy(diagonal);
        return inverse_of(caller, a.map().communicator(), diagonal);
    }
    case Preconditioner::amg: return amg(caller, a, options.nullspace);
    case Preconditioner::none: break;
    }
    return Teuchos::null;
}

Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Operator& a,
                                                       const SolveOptions& options) {
    if (options.preconditioner == Preconditioner::none) return Teuchos::null;
    const auto& diagonal = a.state()->diagonal;
    const bool is_jacobi = options.preconditioner == Preconditioner::jacobi;
    require<UsageError>(is_jacobi && diagonal, [&] {
        return text(caller, ": expected a Matrix",
                    is_jacobi ? ", or an Operator made by with_diagonal()," : "",
                    " for the preconditioner ", name_of(options.preconditioner),
                    ", got an Operator", is_jacobi ? " without a diagonal" : "");
    });
    return inverse_of(caller, diagonal->map().communicator(), *rcp(*diagonal)->getVector(0));
}

const char* name_of(Preconditioner which) {
    switch (which) {
    case Preconditioner::jacobi: return "jacobi";
    case Preconditioner::amg: return "amg";
    case Preconditioner::none: break;
    }
    return "none";
}

} // namespace impl

bool has_preconditioner(Preconditioner which) noexcept {
#ifdef DISTVIEW_HAVE_MUELU
    if (which == Preconditioner::amg) return true;
#endif
    return which != Preconditioner::amg;
}

} // namespace distview::tpetra
