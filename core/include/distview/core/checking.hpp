// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

namespace distview {

/// What the library checks besides its arguments.
enum class Check {
    nothing,
    padding ///< that nobody computes with padding that is not valid
};

/// Switches the checking mode on or off: what reads padding deeper than it is valid becomes an error that says which
/// array, where and in which kernel. Environment: DISTVIEW_CHECK=padding. docs/valid_padding.md has an example.
///
/// Checked are apply_stencil() and the for_each() that names what it reads; they call their functor several times for
/// each cell. In memory of the host, padding that stops to be valid is filled with poison besides (a signalling NaN, a
/// pattern in integers of 4 and 8 bytes): elements made of it are found by the next reduction, gather() or padding
/// exchange of that array. Slow, and meant to be: for small runs and for tests.
///
/// Collective: no (local), but to be called on all ranks, before arrays are made: of those made earlier only kernels
///             that name them are checked
void set_check(Check check) noexcept;
/// What is checked now.
Check current_check() noexcept;

namespace impl {
extern std::atomic<bool> checks_padding;
inline bool is_checking() noexcept { return checks_padding.load(std::memory_order_relaxed); }
/// Throws UsageError if DISTVIEW_CHECK is set to something else than "", "0" or "padding".
void require_known_check();
} // namespace impl

} // namespace distview
