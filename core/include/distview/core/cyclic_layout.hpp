// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/index_types.hpp>

#include <cstdint>

namespace distview {

/// One axis dealt out in blocks of block_size elements, round robin; the protocol's dist_type 'c'.
///
/// 13 elements, 4 processes, block_size 2:
///
///     0 1 8 9 | 2 3 10 11 | 4 5 12 | 6 7
///
/// The partial last block belongs to process (size / block_size) mod P. Any block_size >= 1 is
/// legal, also one larger than size. There is no padding.
///
/// Indices: global of the whole axis; local of one section
/// Space:   callable on host and device, constexpr
/// Cost:    O(1)
/// Source:  Distributed Array Protocol 0.10.0, "cyclic"; specification of index maps 3.2, 3.3
class CyclicLayout {
public:
    constexpr CyclicLayout() noexcept = default;
    KOKKOS_FUNCTION constexpr CyclicLayout(std::int64_t size, int grid_size,
                                           std::int64_t block_size = 1,
                                           bool periodic = false) noexcept
        : m_size(size), m_block_size(block_size), m_grid_size(grid_size), m_periodic(periodic) {}

    KOKKOS_FUNCTION constexpr std::int64_t size() const noexcept { return m_size; }
    KOKKOS_FUNCTION constexpr std::int64_t protocol_size() const noexcept { return m_size; }
    KOKKOS_FUNCTION constexpr int grid_size() const noexcept { return m_grid_size; }
    KOKKOS_FUNCTION constexpr std::int64_t block_size() const noexcept { return m_block_size; }
    /// Whether dimension data of version 0.9 call the axis periodic. Without padding this changes no index map.
    KOKKOS_FUNCTION constexpr bool periodic() const noexcept { return m_periodic; }

    KOKKOS_FUNCTION constexpr std::int64_t local_extent(int p) const noexcept {
        DISTVIEW_ASSERT(p >= 0 && p < m_grid_size);
        const std::int64_t full = m_size / m_block_size;
        const std::int64_t blocks = full / m_grid_size + (p < full % m_grid_size ? 1 : 0);
        const std::int64_t partial = p == full % m_grid_size ? m_size % m_block_size : 0;
        return blocks * m_block_size + partial;
    }
    KOKKOS_FUNCTION constexpr LocalRange owned_local(int p) const noexcept {
        return {LocalIndex(0), LocalIndex(local_extent(p))};
    }
    KOKKOS_FUNCTION constexpr LocalRange interior_local(int p) const noexcept {
        return owned_local(p);
    }

    /// The process that owns g, 0 <= g < size().
    KOKKOS_FUNCTION constexpr int owner(GlobalIndex g) const noexcept {
        DISTVIEW_ASSERT(g.value() >= 0 && g.value() < m_size);
        return static_cast<int>((g / m_block_size) % m_grid_size);
    }
    /// The position of g in its owner's section; p must be owner(g).
    KOKKOS_FUNCTION constexpr LocalIndex to_local([[maybe_unused]] int p,
                                                  GlobalIndex g) const noexcept {
        DISTVIEW_ASSERT(p == owner(g));
        return LocalIndex(g / m_block_size / m_grid_size * m_block_size + g % m_block_size);
    }
    KOKKOS_FUNCTION constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        return GlobalIndex((l / m_block_size * m_grid_size + p) * m_block_size + l % m_block_size);
    }

    KOKKOS_FUNCTION constexpr CyclicLayout with_tables(const std::int64_t*,
                                                       const std::int64_t*) const noexcept {
        return *this;
    }

private:
    std::int64_t m_size = 0;
    std::int64_t m_block_size = 1;
    int m_grid_size = 1;
    bool m_periodic = false;
};

} // namespace distview
