// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/dist_view.hpp>

#include <atomic>

namespace distview::impl {

std::uint64_t next_identity() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace distview::impl
