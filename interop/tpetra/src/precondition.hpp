// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "states.hpp"

namespace distview::tpetra::impl {

/// M^-1 of A; null for none. Collective; throws what MueLu throws, UsageError where it is not installed or an operator has no
/// diagonal, and Error for zeros on the diagonal.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Matrix& a,
                                                       const SolveOptions& options);
/// none, or Jacobi's of the diagonal that the operator has.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Operator& a,
                                                       const SolveOptions& options);

const char* name_of(Preconditioner which);

} // namespace distview::tpetra::impl
