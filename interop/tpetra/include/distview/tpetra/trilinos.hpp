// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trilinos' own objects behind those of distview::tpetra, for programs that continue with them. Slow to compile, like
// all code that includes Tpetra; such a program links Tpetra::all_libs itself.
#pragma once

#include <distview/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>

namespace distview::tpetra {

/// The object itself, shared; if it is a MultiVector's, keep the MultiVector alive.
///
/// Collective: no (local)
Teuchos::RCP<const Tpetra::Map<>> rcp(const Map& map);
Teuchos::RCP<Tpetra::MultiVector<double>> rcp(const MultiVector& vector);
Teuchos::RCP<const Tpetra::Operator<double>> rcp(const Operator& op);
Teuchos::RCP<Tpetra::CrsMatrix<double>> rcp(const Matrix& matrix);
Teuchos::RCP<const Tpetra::Import<>> rcp(const GhostImport& import);
Teuchos::RCP<const Tpetra::Export<>> rcp(const GhostExport& exporter);

/// A Map of Tpetra's own, such as one of a matrix that was read from a file.
///
/// Collective: over comm, whose ranks are those of the map's communicator
/// Errors:     UsageError if they are not (thrown on all ranks)
Map make_map(const Communicator& comm, const Teuchos::RCP<const Tpetra::Map<>>& map);

/// The layout whose ghosts a Tpetra::Import fills (that of a matrix, say): each rank owns the rows of the source map;
/// its ghosts are the rows of the target map that it does not own. The k-th row of the target map is at positions[k].
/// An Export works the other way round: its ghosts are the elements that it adds to their owners.
///
///     GhostExchangePlan plan(comm, tpetra::ghosted_layout(comm, *a->getGraph()->getImporter()));
///
/// Collective: over comm, whose ranks are those of the maps
/// Errors:     UsageError if they are not; those of make_ghosted_layout() (thrown on all ranks)
GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Import<>& import);
GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Export<>& exporter);

} // namespace distview::tpetra
