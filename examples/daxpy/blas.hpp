// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fragments.hpp"

namespace daxpy {

/// Whether there is a BLAS in this build.
bool have_blas() noexcept;

/// Lets the BLAS use as many threads as Kokkos does, where it can be told.
void set_blas_threads(int threads);

/// y = alpha * x + y by cblas_daxpy, which gets the fragments' own addresses.
///
/// Errors: distview::UsageError without a BLAS
void blas_daxpy(double alpha, const Fragment& x, const Fragment& y);

} // namespace daxpy
