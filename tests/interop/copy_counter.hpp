// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace distview::testing {

/// Counts bytes that memcpy() and memmove() copy from or to a piece of memory, calls from libraries included: programs
/// that link interop_copy_counter use its functions instead of the C library's. One counter at a time.
class CopyCounter {
public:
    CopyCounter(const void* begin, std::size_t bytes) noexcept;
    ~CopyCounter();
    CopyCounter(const CopyCounter&) = delete;
    CopyCounter& operator=(const CopyCounter&) = delete;

    std::int64_t bytes() const noexcept;
};

} // namespace distview::testing
