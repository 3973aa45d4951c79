// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// A process of this node, also told from a later one that gets its number.
struct ProcessName {
    std::int64_t number = 0;  ///< as the operating system counts; 0: unknown
    std::int64_t started = 0; ///< when, in the operating system's units

    static ProcessName self();
    /// Whether it has ended, as far as this process can tell.
    bool has_ended() const;
};

} // namespace distview::impl
