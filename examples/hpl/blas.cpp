// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"

#include <distview/core/error.hpp>

#ifdef DISTVIEW_HAVE_CBLAS
#include <cblas.h>
#endif

namespace hpl {

#ifdef DISTVIEW_HAVE_CBLAS

bool have_blas() noexcept { return true; }

void blas_subtract_product([[maybe_unused]] const Exec& exec, const Block& c, const Block& l,
                           const Block& u) {
    // The interface counts with int; options ensure that no matrix has 2^31 rows or columns.
    const auto as_int = [](std::size_t number) { return static_cast<int>(number); };
    if (c.size() == 0 || l.extent(1) == 0) return;
#ifdef DISTVIEW_HAVE_OPENBLAS
    openblas_set_num_threads(exec.concurrency());
#endif
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, as_int(c.extent(0)), as_int(c.extent(1)),
                as_int(l.extent(1)), -1, l.data(), as_int(l.stride(0)), u.data(),
                as_int(u.stride(0)), 1, c.data(), as_int(c.stride(0)));
}

#else

bool have_blas() noexcept { return false; }
void blas_subtract_product(const Exec&, const Block&, const Block&, const Block&) {
    throw distview::UsageError("--update blas: this program was built without a BLAS");
}

#endif

} // namespace hpl
