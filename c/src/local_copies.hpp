// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gather.hpp"

#include <distview/c/local_copy.h>

#include <distview/algorithms/plain_array.hpp>

#include <cstdint>
#include <functional>

namespace distview::c {

/// The elements that a function gets: this process's, a box of the whole array, or all elements.
enum class Part { own, box, whole };

struct LocalCopyCall {
    const distview_array& array;
    distview_local_copy_options options;
    Part part = Part::own;
    const std::int64_t* begin = nullptr; ///< for a box
    const std::int64_t* end = nullptr;
    int root = -1; ///< for the whole array; -1: every rank
    const char* name = "";
    /// Throws if it fails.
    std::function<void(const distview_plain_array&)> function{};
};

/// The options; throws if they are null or wrong.
distview_local_copy_options checked_options(const distview_local_copy_options* options,
                                            const char* function);
/// Checks the array on this rank; throws if it cannot be copied in this way.
void check_local_copy(const LocalCopyCall& call);
/// Runs the call. Collective unless the part is this process's own.
distview_local_copy_bytes run_local_copy(const LocalCopyCall& call);

} // namespace distview::c
