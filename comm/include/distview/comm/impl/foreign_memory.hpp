// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/copy_box.hpp>

#include <cstdint>

namespace distview::impl {

/// Another process of the node whose memory the operating system copies from (process_vm_readv).
struct ForeignProcess {
    std::int64_t id = -1;
    /// Address and content of a number in it, by which it is recognised.
    std::int64_t key_address = 0;
    std::int64_t key = 0;

    /// This process, as others recognise it.
    static ForeignProcess self();
    /// Whether it is there and may be read.
    bool can_be_read() const noexcept;
};

/// Copies a box whose source is an address in another process, in the calling thread.
///
/// Allocates nothing. Throws Error if the operating system refuses.
void copy_from(const ForeignProcess& process, const CopyBox& box);

} // namespace distview::impl
