// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace distview::c {

/// Gives up all exchanges in flight, before Kokkos is stopped.
void abandon_all_exchanges() noexcept;

} // namespace distview::c
