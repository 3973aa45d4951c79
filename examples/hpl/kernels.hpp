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

// Operations on plain matrices within one process. Every element is computed by the same operations in the same order,
// as in the textbook's three loops, in whatever part of a matrix it is: so factors have the same bits on any grid and
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

/// a - l * u: rounded once if the processor can do so in one instruction, otherwise twice. Without this function a
/// compiler could choose differently at different places.
inline double minus_product(double a, double l, double u) noexcept {
#if defined(FP_FAST_FMA) || defined(__FMA__)
    return std::fma(-l, u, a);
#else
    return a - l * u;
#endif
}

/// The value that factorise_panel() stores in place of a pivot if all candidates are 0.
inline constexpr std::int64_t no_pivot = -1;

/// Makes P * panel = L * U of a panel with at least as many rows as columns: L below the diagonal, without its ones,
/// U on and above. Step k swaps row k with row pivots[k], the row of the largest element (the first of equal ones).
///
/// If a pivot is 0, it becomes no_pivot and factorisation stops.
///
/// Space: on `exec`, and on the host; on return all work has finished
void factorise_panel(const Exec& exec, const Block& panel, std::span<std::int64_t> pivots);

/// u = L^-1 u, where L is the part of `l` below the diagonal with ones on the diagonal.
///
/// Space: on `exec`; on return all work has finished
void solve_unit_lower(const Exec& exec, const Block& l, const Block& u);

/// c -= l * u.
///
/// Space: on `exec`; on return all work has finished
/// Cost:  copies l and u
void subtract_product(const Exec& exec, const Block& c, const Block& l, const Block& u);

/// Whether this build has a BLAS.
bool have_blas() noexcept;

/// The same by cblas_dgemm, with the threads of `exec` if their number can be set; its rounding may differ.
///
/// Errors: distview::UsageError without a BLAS
void blas_subtract_product(const Exec& exec, const Block& c, const Block& l, const Block& u);

} // namespace hpl
