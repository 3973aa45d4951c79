// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/tpetra.hpp>
#include <distview/tpetra/trilinos.hpp>

#include <Teuchos_DefaultMpiComm.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace distview::tpetra::impl {

using TrilinosMap = Tpetra::Map<>;
using LocalOrdinal = TrilinosMap::local_ordinal_type;
using GlobalOrdinal = TrilinosMap::global_ordinal_type;
using TrilinosVector = Tpetra::MultiVector<double>;
using TrilinosOperator = Tpetra::Operator<double>;
using TrilinosMatrix = Tpetra::CrsMatrix<double>;
using TrilinosImport = Tpetra::Import<>;
using TrilinosExport = Tpetra::Export<>;
using Device = TrilinosMap::device_type;

struct MapState {
    Communicator comm;
    Teuchos::RCP<const TrilinosMap> map;
    std::optional<RowNumbering> numbering{};
};
struct VectorState {
    Map map;
    std::shared_ptr<const distview::impl::SharedState> array;
    std::vector<double> host_mirror{}; ///< empty if Tpetra works on the host
    Teuchos::RCP<TrilinosVector> vector{};
    std::vector<double*> columns{};
};
struct OperatorState {
    Map map;
    Teuchos::RCP<const TrilinosOperator> op;
    std::optional<MultiVector> diagonal{};
};
struct MatrixState {
    Map map;
    Teuchos::RCP<TrilinosMatrix> matrix;
    mutable std::int64_t changes = 0; ///< number of calls of set_values()
};
struct ImportState {
    Map source;
    Map target;
    Teuchos::RCP<const TrilinosImport> import;
};
struct ExportState {
    Map source;
    Map target;
    Teuchos::RCP<const TrilinosExport> exporter;
};

/// The communicator's duplicate for Trilinos; it returns MPI errors. The first call makes it, and freeing the
/// communicator frees it. Collective.
Teuchos::RCP<const Teuchos::Comm<int>> trilinos_comm(const Communicator& comm);

/// Whether two communicators have the same ranks in the same order.
bool are_congruent(const Communicator& a, const Communicator& b);

/// Throws UsageError unless `space` is the name of Tpetra's memory space; `what` names the arrays. Local.
void require_reachable(const char* caller, const char* what, const char* space);

} // namespace distview::tpetra::impl
