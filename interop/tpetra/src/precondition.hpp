// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "states.hpp"

namespace distview::tpetra::impl {

/// The preconditioner M^-1 of a matrix; null for none. Collective. Throws UsageError if MueLu is not installed, Error
/// if the diagonal has a zero, and MueLu's exceptions.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Matrix& a,
                                                       const SolveOptions& options);
/// Jacobi's preconditioner from the operator's diagonal; null for none. Collective. Throws UsageError for amg or
/// without a diagonal, and Error if the diagonal has a zero.
Teuchos::RCP<const TrilinosOperator> preconditioner_of(const char* caller, const Operator& a,
                                                       const SolveOptions& options);

const char* name_of(Preconditioner which);

} // namespace distview::tpetra::impl
