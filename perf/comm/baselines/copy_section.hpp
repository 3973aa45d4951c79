// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "perf.hpp"

#include <cstddef>
#include <cstring>

namespace distview::perf {

/// memcpy of `count` elements, divided among all threads of this rank: the lower bound for any work that
/// reads one array and writes another.
inline void copy_section(const Exec& exec, const double* from, double* to, std::int64_t count) {
    const std::int64_t parts = exec.concurrency();
    Kokkos::parallel_for(
        "distview::perf::copy_section",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, parts),
        [=](std::int64_t part) {
            const std::int64_t begin = count / parts * part;
            const std::int64_t end = part + 1 == parts ? count : begin + count / parts;
            std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * 8);
        });
}

} // namespace distview::perf
