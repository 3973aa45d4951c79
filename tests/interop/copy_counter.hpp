// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace distview::testing {

/// Counts bytes that memcpy() and memmove() copy from or to a piece of memory, whoever calls them, libraries too: programs
/// that link interop_copy_counter have these functions in the place of the C library's. One at a time.
class CopyCounter {
public:
    CopyCounter(const void* begin, std::size_t bytes) noexcept;
    ~CopyCounter();
    CopyCounter(const CopyCounter&) = delete;
    CopyCounter& operator=(const CopyCounter&) = delete;

    std::int64_t bytes() const noexcept;
};

} // namespace distview::testing
