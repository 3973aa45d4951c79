// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/processors.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

#include <sched.h>

namespace distview::impl {

ProcessorSet allowed_processors() noexcept {
    ProcessorSet result{};
#ifdef __linux__
    static_assert(CPU_SETSIZE == 64 * std::tuple_size_v<ProcessorSet>);
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) != 0) return result;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &set)) result[i / 64] |= std::uint64_t{1} << (i % 64);
#endif
    return result;
}

int count_processors(std::span<const ProcessorSet> all) noexcept {
    ProcessorSet together{};
    for (const ProcessorSet& theirs : all)
        for (std::size_t i = 0; i < together.size(); ++i) together[i] |= theirs[i];
    int processors = 0;
    for (const std::uint64_t word : together) processors += std::popcount(word);
    return processors;
}

bool shares_processors(const ProcessorSet& mine, std::span<const ProcessorSet> all) noexcept {
    int processes = 0;
    ProcessorSet together{};
    for (const ProcessorSet& theirs : all) {
        bool meets = false;
        for (std::size_t i = 0; i < mine.size(); ++i) meets = meets || (mine[i] & theirs[i]) != 0;
        if (!meets) continue;
        ++processes;
        for (std::size_t i = 0; i < mine.size(); ++i) together[i] |= theirs[i];
    }
    return processes > count_processors({&together, 1});
}

int share_of_processors(int own, int together, int ranks) noexcept {
    return std::min(own, std::max(together / ranks, 1));
}

} // namespace distview::impl
