// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include "exact_sum.hpp"
#include "timing.hpp"

#include <distview/core/dist_view.hpp>

#include <cstdint>

namespace daxpy {

using program::Exec;
using Array = distview::DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Blocks of one row and `block` columns, dealt out over the grid.
distview::ArrayLayout make_layout(const Options& options, const distview::ProcessGrid& grid);

/// X(r,i) = r + i, where rows and columns count from 1.
void set_x(const Exec& exec, const Array& x);
/// Y(r,i) = 10 + r + i.
void set_y(const Exec& exec, const Array& y);

/// Whether `result` is alpha * s + (10 + s), s = r + i: exactly if that is an integer below 2^53,
/// otherwise as rounded once (fused) or twice.
bool is_result(double result, double alpha, double s);

/// Sum and wrong elements of y.
struct Check {
    program::ExactSum sum;
    std::int64_t mismatches = 0;
};

/// Checks all elements of y after y = alpha * x + y. The sum and the count are over all ranks.
///
/// Collective: over comm
Check check(const distview::Communicator& comm, const Array& y, double alpha);

} // namespace daxpy
