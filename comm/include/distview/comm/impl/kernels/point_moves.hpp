// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// Elements that are copied one by one, each from its own address to its own address. Plain
/// data; tables lie in memory that kernels can access.
struct PointMoves {
    struct End {
        char* data = nullptr;             ///< null: the execution's list for this end
        const std::int64_t* at = nullptr; ///< bytes from `data` to each element; null: consecutive
        std::int64_t begin = 0; ///< bytes from `data` to the first element, without a table

        KOKKOS_INLINE_FUNCTION char* first(char* list) const {
            return (data ? data : list) + begin;
        }
    };
    End from{};
    End to{};
    std::int64_t count = 0;
    std::int64_t element_size = 1;
    bool streams =
        false; ///< whether elements of a table bypass the host's caches, one after the other
};

/// For a device, where each element has a thread: element i is combined with the values
/// [first[i], first[i + 1]), in this order. On the host, PointMoves combine `to` with `from`.
struct PointSums {
    char* to = nullptr;
    const std::int64_t* to_at = nullptr; ///< bytes
    const std::int64_t* first = nullptr; ///< count + 1 numbers
    /// Address of each value; if negative, the complement of its offset in bytes in the
    /// execution's list of values.
    const std::int64_t* values = nullptr;
    std::int64_t count = 0;
    std::int64_t element_size = 1;
};

/// Appends pieces that are each enough work for a thread; decides which pieces bypass the caches.
void append_pieces(std::vector<PointMoves>& pieces, const PointMoves& moves);

/// Number of threads of Kokkos' host space; each gets a share of work.
int host_threads();

} // namespace distview::impl
