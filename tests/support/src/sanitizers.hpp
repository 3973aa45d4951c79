// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// g++ defines __SANITIZE_*__, clang has __has_feature.
#if defined(__has_feature)
#define DISTVIEW_TESTING_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DISTVIEW_TESTING_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || DISTVIEW_TESTING_HAS_FEATURE(address_sanitizer)
#define DISTVIEW_TESTING_ASAN 1
#else
#define DISTVIEW_TESTING_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || DISTVIEW_TESTING_HAS_FEATURE(thread_sanitizer)
#define DISTVIEW_TESTING_TSAN 1
#else
#define DISTVIEW_TESTING_TSAN 0
#endif

/// Set if a sanitizer owns malloc and offers its own hooks.
#define DISTVIEW_TESTING_SANITIZER_HEAP (DISTVIEW_TESTING_ASAN || DISTVIEW_TESTING_TSAN)
