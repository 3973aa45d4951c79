// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to the Trilinos objects behind objects of distview::tpetra, for programs that also call Trilinos. The header
// includes Tpetra's headers and compiles slowly; programs that include it link Tpetra::all_libs themselves.
#pragma once

#include <distview/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>

namespace distview::tpetra {

/// The Trilinos object itself, shared and not copied. Keep a MultiVector alive while its Trilinos object is in use.
///
/// Collective: no (local)
Teuchos::RCP<const Tpetra::Map<>> rcp(const Map& map);
Teuchos::RCP<Tpetra::MultiVector<double>> rcp(const MultiVector& vector);
Teuchos::RCP<const Tpetra::Operator<double>> rcp(const Operator& op);
Teuchos::RCP<Tpetra::CrsMatrix<double>> rcp(const Matrix& matrix);
Teuchos::RCP<const Tpetra::Import<>> rcp(const GhostImport& import);
Teuchos::RCP<const Tpetra::Export<>> rcp(const GhostExport& exporter);

/// Makes a Map from a Tpetra::Map, for example the map of a matrix that was read from a file.
///
/// Collective: over comm, which has the ranks of the map's communicator in the same order
/// Errors:     UsageError if comm has other ranks or `map` is null (thrown on all ranks)
Map make_map(const Communicator& comm, const Teuchos::RCP<const Tpetra::Map<>>& map);

/// The layout whose ghosts a Tpetra::Import fills, for example the Import of a matrix. Each rank owns its rows of the
/// source map; its ghosts are the rows of the target map that it does not own. The k-th row of the target map is at
/// positions[k]. For a Tpetra::Export, source and target are exchanged: it adds the ghosts to their owners' elements.
///
///     GhostExchangePlan plan(comm, tpetra::ghosted_layout(comm, *a->getGraph()->getImporter()));
///
/// Collective: over comm, which has the ranks of the maps in the same order
/// Errors:     UsageError if comm has other ranks; those of make_ghosted_layout() (thrown on all ranks)
GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Import<>& import);
GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Export<>& exporter);

} // namespace distview::tpetra
