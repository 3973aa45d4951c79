// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>

namespace distview::petsc::impl {

/// Stores the exception of a function that PETSc called. It must not pass through PETSc, so checked() throws it again.
void set_pending(std::exception_ptr failure) noexcept;

} // namespace distview::petsc::impl
