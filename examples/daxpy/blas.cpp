// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas.hpp"

#include <distview/core/error.hpp>

#ifdef DISTVIEW_HAVE_CBLAS
#include <cblas.h>
#endif

#include <algorithm>
#include <limits>

namespace daxpy {

#ifdef DISTVIEW_HAVE_CBLAS

bool have_blas() noexcept { return true; }

void set_blas_threads([[maybe_unused]] int threads) {
#ifdef DISTVIEW_HAVE_OPENBLAS
    openblas_set_num_threads(threads);
#endif
}

void blas_daxpy(double alpha, const Fragment& x, const Fragment& y) {
    // The interface counts with int; a multiple of the cache line keeps further calls aligned.
    constexpr std::size_t most = std::numeric_limits<int>::max() / 64 * 64;
    for (std::size_t begin = 0; begin < y.extent(0); begin += most)
        cblas_daxpy(static_cast<int>(std::min(most, y.extent(0) - begin)), alpha, x.data() + begin,
                    1, y.data() + begin, 1);
}

#else

bool have_blas() noexcept { return false; }
void set_blas_threads(int) {}
void blas_daxpy(double, const Fragment&, const Fragment&) {
    throw distview::UsageError("blas_daxpy: this program was built without a BLAS");
}

#endif

} // namespace daxpy
