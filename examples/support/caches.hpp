// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace program {

/// Size of the last-level cache of this machine; 0 if the system does not report it.
std::int64_t last_level_cache_bytes();

} // namespace program
