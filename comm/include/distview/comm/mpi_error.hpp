// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

namespace distview {

/// Throws MpiError, with MPI's own text for `code`, unless `code` is MPI_SUCCESS. `call` names the MPI function.
///
/// Collective: no (local)
/// Example:    check_mpi(MPI_Barrier(comm), "MPI_Barrier")
void check_mpi(int code, const char* call);

/// Throws UsageError unless MPI is initialised and not finalised; `caller` begins the message.
///
/// Collective: no (local)
void require_mpi(const char* caller);

} // namespace distview
