// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/shared_state.hpp>

#include <atomic>

namespace distview::impl {

std::shared_ptr<ArrayState> make_array_state() {
    static std::atomic<std::uint64_t> last{0};
    return std::make_shared<ArrayState>(ArrayState{++last, {}, {}});
}

} // namespace distview::impl
