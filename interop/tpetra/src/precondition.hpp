// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "states.hpp"

namespace distview::tpetra::impl {

/// M^-1 of A. Collective; throws what MueLu throws, UsageError where it is not installed, and Error for zeros on the
/// diagonal.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const Communicator& comm,
                                                       const Teuchos::RCP<TrilinosMatrix>& a,
                                                       const SolveOptions& options);
/// Jacobi's.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const MultiVector& diagonal);

} // namespace distview::tpetra::impl
