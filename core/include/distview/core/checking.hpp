// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

namespace distview {

/// Checks that the library makes besides those of its arguments.
enum class Check {
    nothing,
    padding ///< no kernel computes with padding that is not valid
};

/// Switches the checking mode on or off: a kernel that reads padding deeper than it is valid causes an error that names
/// the array, the place and the kernel. Environment: DISTVIEW_CHECK=padding. docs/valid_padding.md has an example.
///
/// The mode checks apply_stencil() and the for_each() overload that names the arrays it reads; both call their functor
/// several times for each cell. In host memory, the mode also fills padding that ceases to be valid with poison (a
/// signalling NaN; in integers of 4 and 8 bytes a pattern): the next reduction, gather() or padding exchange of an
/// array reports elements computed from poison. The mode is slow by design: use it for small runs and for tests.
///
/// Collective: no (local), but all ranks must call it, before arrays are made: for arrays made earlier, only kernels
///             that name them are checked
void set_check(Check check) noexcept;
/// The check that is on now.
Check current_check() noexcept;

namespace impl {
extern std::atomic<bool> checks_padding;
inline bool is_checking() noexcept { return checks_padding.load(std::memory_order_relaxed); }
/// Throws UsageError if DISTVIEW_CHECK is set to something else than "", "0" or "padding".
void require_known_check();
} // namespace impl

} // namespace distview
