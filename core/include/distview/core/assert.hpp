// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Abort.hpp>
#include <Kokkos_Macros.hpp>

#define DISTVIEW_IMPL_TEXT_OF(value) #value
#define DISTVIEW_IMPL_TEXT(value) DISTVIEW_IMPL_TEXT_OF(value)

/// Checks a documented precondition of a function that is too small, or runs on device, to throw.
///
/// Builds with DISTVIEW_ENABLE_ASSERTIONS (the presets debug, asan and tsan) end the program with the condition and
/// its place if it does not hold; in other builds this costs nothing and checks nothing.
///
/// Space: callable on host and device
#if defined(DISTVIEW_ENABLE_ASSERTIONS)
#define DISTVIEW_ASSERT(condition)                                                                 \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::Kokkos::abort("distview: expected " #condition ", at " __FILE__               \
                                   ":" DISTVIEW_IMPL_TEXT(__LINE__)))
#else
#define DISTVIEW_ASSERT(condition) static_cast<void>(0)
#endif
