// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "caches.hpp"

#include <unistd.h>

#include <algorithm>

namespace program {

std::int64_t last_level_cache_bytes() {
    std::int64_t most = 0;
    for (const int name : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
        most = std::max<std::int64_t>(most, sysconf(name));
    return most;
}

} // namespace program
