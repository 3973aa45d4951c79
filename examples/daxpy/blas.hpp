// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fragments.hpp"

namespace daxpy {

/// Whether this build has a BLAS.
bool have_blas() noexcept;

/// Lets the BLAS use as many threads as Kokkos, if its number of threads can be set.
void set_blas_threads(int threads);

/// y = alpha * x + y by cblas_daxpy, which gets the addresses of the fragments themselves.
///
/// Errors: distview::UsageError without a BLAS
void blas_daxpy(double alpha, const Fragment& x, const Fragment& y);

} // namespace daxpy
