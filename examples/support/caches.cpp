// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace program {

namespace {

/// The largest cache from level 2 on that Linux lists in /sys: the C library reports caches of x86 and Power only.
std::int64_t largest_cache_of_system() {
    std::int64_t most = 0;
    for (int index = 0; index < 16; ++index) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + '/';
        int level = 0;
        std::int64_t kib = 0;
        char unit = 0;
        if (!(std::ifstream(folder + "level") >> level)) break;
        std::ifstream size(folder + "size"); // 32768K
        if (level > 1 && size >> kib >> unit && unit == 'K') most = std::max(most, kib * 1024);
    }
    return most;
}

} // namespace

std::int64_t last_level_cache_bytes() {
    std::int64_t most = 0;
    for (const int name : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
        most = std::max<std::int64_t>(most, sysconf(name));
    return most > 0 ? most : largest_cache_of_system();
}

} // namespace program
