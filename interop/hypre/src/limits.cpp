// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "limits.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <HYPRE_utilities.h>

#include <algorithm>
#include <limits>
#include <string>

namespace distview::hypre {

void impl::require_box(const char* caller, std::span<const std::int64_t> extents,
                       std::int64_t entries) {
    if (std::ranges::any_of(extents, [](std::int64_t n) { return n == 0; })) return;
    constexpr std::int64_t most = std::numeric_limits<HYPRE_Int>::max();
    std::int64_t left = most / entries;
    for (const std::int64_t n : extents) left /= n + 2;
    require<UsageError>(left > 0, [&] {
        std::string box;
        for (const std::int64_t n : extents) box += text(box.empty() ? "(" : " x (", n, " + 2)");
        return text(caller, ": expected at most ", most,
                    " numbers on a rank (the largest HYPRE_Int of this hypre), got ", entries,
                    " in each of ", box, " cells, ghosts included; ij_matrix() has no ghosts");
    });
}

void impl::require_restart(const char* caller, int restart, std::int64_t rows) {
    constexpr std::int64_t counted = std::numeric_limits<HYPRE_Int>::max();
    const std::int64_t most = counted / std::max<std::int64_t>(rows, 1) - 1;
    require<UsageError>(restart <= most, [&] {
        return text(
            caller, ": gmres: expected a restart after at most ", most,
            " iterations (a HYPRE_Int of this hypre counts the numbers of all vectors), got ",
            restart);
    });
}

} // namespace distview::hypre
