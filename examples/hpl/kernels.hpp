// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include "timing.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace hpl {

// What happens to plain matrices within one process. Every element is computed by the same operations in the same order,
// those of the textbook's three loops, whatever part of a matrix it is in: so factors have the same bits on any grid and
// with any block size.

using program::Exec;
/// A part of a matrix; elements of a row follow each other.
using Block = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

using Range = std::pair<std::size_t, std::size_t>;
template <class Matrix>
Block part_of(const Matrix& matrix, const Range& rows, const Range& columns) {
    return Kokkos::subview(matrix, rows, columns);
}

/// a - l * u: rounded once if the processor does that in one step, else twice. A compiler left to itself could do either, here
/// or there.
inline double minus_product(double a, double l, double u) noexcept {
#if defined(FP_FAST_FMA) || defined(__FMA__)
    return std::fma(-l, u, a);
#else
    return a - l * u;
#endif
}

/// What factorise_panel() says in the place of a pivot where all candidates are 0.
inline constexpr std::int64_t no_pivot = -1;

/// Makes P * panel = L * U of a panel that has at least as many rows as columns: L below the diagonal, where its ones are
/// left out, U on and above. Step k swaps row k with row pivots[k]: that of the largest element, of equal ones the first.
///
/// If a pivot is 0 it is no_pivot, and what follows is not done.
///
/// Space: on `exec`, and on the host; on return all work has finished
void factorise_panel(const Exec& exec, const Block& panel, std::span<std::int64_t> pivots);

/// u = L^-1 u, L being the part of `l` below the diagonal with ones on it.
///
/// Space: on `exec`; on return all work has finished
void solve_unit_lower(const Exec& exec, const Block& l, const Block& u);

/// c -= l * u.
///
/// Space: on `exec`; on return all work has finished
/// Cost:  copies l and u
void subtract_product(const Exec& exec, const Block& c, const Block& l, const Block& u);

/// Whether there is a BLAS in this build.
bool have_blas() noexcept;

/// The same by cblas_dgemm, with as many threads as `exec` has where it can be told, and with roundings of its own.
///
/// Errors: distview::UsageError without a BLAS
void blas_subtract_product(const Exec& exec, const Block& c, const Block& l, const Block& u);

} // namespace hpl
