// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace program {

/// Of this machine, as far as it says so; 0 if it does not.
std::int64_t last_level_cache_bytes();

} // namespace program
