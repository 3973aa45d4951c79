// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "space_option.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

namespace program {

namespace {

constexpr bool has_cuda =
#ifdef KOKKOS_ENABLE_CUDA
    true;
#else
    false;
#endif

} // namespace

void require_space(const std::string& value) {
    using distview::UsageError;
    distview::require<UsageError>(value == "host" || value == "cuda", [&] {
        return distview::text("--space: expected host or cuda, got '", value, '\'');
    });
    distview::require<UsageError>(
        value == "host" || has_cuda,
        "--space: expected host, got 'cuda': this program was built without CUDA");
}

} // namespace program
