// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// Elements that are copied one by one, each from an address of its own to an address of its own. Plain data; tables lie
/// in memory that kernels reach.
struct PointMoves {
    struct End {
        char* data = nullptr; ///< null: the list that the execution is given for this end
        const std::int64_t* at =
            nullptr;            ///< bytes of each element beyond `data`; null: one after the other
        std::int64_t begin = 0; ///< bytes of the first one beyond `data`, if there is no table

        KOKKOS_INLINE_FUNCTION char* first(char* list) const {
            return (data ? data : list) + begin;
        }
    };
    End from{};
    End to{};
    std::int64_t count = 0;
    std::int64_t element_size = 1;
    bool streams =
        false; ///< whether elements from a table go one after the other, past the caches of the host
};

/// For a device, where each element has a thread: element i is combined with the values [first[i], first[i + 1]), in this
/// order. On the host it is `to`, of PointMoves, that is combined with `from`.
struct PointSums {
    char* to = nullptr;
    const std::int64_t* to_at = nullptr; ///< bytes
    const std::int64_t* first = nullptr; ///< count + 1 numbers
    /// Of each value: its address; if negative the complement of its offset, in bytes, in the list of values that the
    /// execution is given.
    const std::int64_t* values = nullptr;
    std::int64_t count = 0;
};

/// Appends pieces that are each worth handing to a thread; decides which go past the caches.
void append_pieces(std::vector<PointMoves>& pieces, const PointMoves& moves);

/// Threads of Kokkos' host space, which are worth a share of work each.
int host_threads();

} // namespace distview::impl
