// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// Identity of a process of this node; a later process with the same process ID has another one.
struct ProcessName {
    std::int64_t number = 0;  ///< process ID; 0: unknown
    std::int64_t started = 0; ///< start time, in the operating system's units

    static ProcessName self();
    /// Whether the process has ended, as far as the calling process can tell.
    bool has_ended() const;
};

} // namespace distview::impl
