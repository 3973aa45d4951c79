// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/index_types.hpp>
#include <distview/core/padding.hpp>

#include <cstdint>

namespace distview {

/// The rule by which a block layout cuts the interior into one block per process.
enum class BlockSplit : char {
    regular,  ///< ceil(n / P) elements each while they last; the protocol's block-cyclic equivalent
    balanced, ///< sizes differ by at most 1, larger blocks first
    irregular ///< the program gives the bounds
};

/// One axis in contiguous blocks, one per process; the protocol's dist_type 'b'.
///
/// The *interior* (the elements that a program computes) is cut into blocks. Boundary padding lies
/// outside it and belongs to the first and the last process. Communication padding holds copies of
/// the neighbours' elements and has no owner of its own. Example: 16 interior elements on 2 processes, all
/// widths 1, size() 16, protocol_size() 18 (B boundary, C communication):
///
///     process 0   B-1  0..7  C8           owned [-1, 8)   local extent 10
///     process 1        C7  8..15  B16     owned [8, 17)   local extent 10
///
/// On a periodic axis the boundary padding repeats the interior's other end, and a padding exchange
/// fills it.
///
/// A BlockLayout is a small value that describes all processes of the axis. It reads irregular bounds and widths
/// through pointers into tables that the ArrayLayout (or DeviceLayout) owns.
///
/// Indices: global from the first interior element, so boundary padding is at [-low, 0) and
///          [size(), size() + high); local of one section with all padding
/// Space:   callable on host and device, constexpr
/// Cost:    O(1); owner() of an irregular layout O(log P)
/// Source:  Distributed Array Protocol 0.10.0, "block"; specification of index maps 3.1
class BlockLayout {
public:
    constexpr BlockLayout() noexcept = default;

    /// Regular or balanced blocks with the same communication padding everywhere.
    KOKKOS_FUNCTION constexpr BlockLayout(std::int64_t size, int grid_size,
                                          BlockSplit split = BlockSplit::balanced,
                                          Widths padding = {}, Widths boundary = {},
                                          bool periodic = false) noexcept
        : m_size(size), m_grid_size(grid_size), m_split(split), m_periodic(periodic),
          m_padding(padding), m_boundary(boundary) {}

    /// Blocks [bounds[p], bounds[p + 1]) of the interior; `bounds` holds grid_size + 1 entries from
    /// 0 to the interior size. `widths`, if not null, holds the low and high communication widths
    /// of every process in turn and replaces `padding`.
    KOKKOS_FUNCTION constexpr BlockLayout(const std::int64_t* bounds, int grid_size,
                                          const std::int64_t* widths, Widths padding = {},
                                          Widths boundary = {}, bool periodic = false) noexcept
        : m_size(bounds[grid_size]), m_grid_size(grid_size), m_split(BlockSplit::irregular),
          m_periodic(periodic), m_padding(padding), m_boundary(boundary), m_bounds(bounds),
          m_widths(widths) {}

    /// Number of interior elements.
    KOKKOS_FUNCTION constexpr std::int64_t size() const noexcept { return m_size; }
    /// Number of elements with boundary padding: the `size` of the protocol's version 0.10.
    KOKKOS_FUNCTION constexpr std::int64_t protocol_size() const noexcept {
        return m_boundary.low + m_size + m_boundary.high;
    }
    KOKKOS_FUNCTION constexpr int grid_size() const noexcept { return m_grid_size; }
    KOKKOS_FUNCTION constexpr BlockSplit split() const noexcept { return m_split; }
    KOKKOS_FUNCTION constexpr bool periodic() const noexcept { return m_periodic; }
    KOKKOS_FUNCTION constexpr Widths boundary() const noexcept { return m_boundary; }
    /// Whether bounds or widths are read from tables.
    KOKKOS_FUNCTION constexpr bool has_tables() const noexcept { return m_bounds != nullptr; }

    /// Widths of the communication padding in the section of process p; 0 at the array's two ends.
    KOKKOS_FUNCTION constexpr Widths communication_padding(int p) const noexcept {
        const Widths given = m_widths ? Widths(m_widths[2 * p], m_widths[2 * p + 1]) : m_padding;
        return {p > 0 ? given.low : 0, p < m_grid_size - 1 ? given.high : 0};
    }
    /// The communication padding that the program asked for, also if there is one process, whose section has none; not
    /// for widths by process. Equal layouts on one process may have been asked for different padding.
    KOKKOS_FUNCTION constexpr Widths given_padding() const noexcept { return m_padding; }
    /// The widest communication padding of all processes, on each side.
    ///
    /// Cost: O(1); O(P) if the widths differ by process
    KOKKOS_FUNCTION constexpr Widths widest_padding() const noexcept {
        if (!m_widths) return m_grid_size > 1 ? m_padding : Widths();
        Widths widest;
        for (int p = 0; p < m_grid_size; ++p) {
            const Widths here = communication_padding(p);
            widest = {here.low > widest.low ? here.low : widest.low,
                      here.high > widest.high ? here.high : widest.high};
        }
        return widest;
    }
    /// Widths of the boundary padding in the section of process p; 0 except at the two ends.
    KOKKOS_FUNCTION constexpr Widths boundary_padding(int p) const noexcept {
        return {p == 0 ? m_boundary.low : 0, p == m_grid_size - 1 ? m_boundary.high : 0};
    }

    /// Interior elements of process p.
    KOKKOS_FUNCTION constexpr GlobalRange interior(int p) const noexcept {
        return {GlobalIndex(bound(p)), GlobalIndex(bound(p + 1))};
    }
    /// Elements that process p owns: its interior and its boundary padding. These ranges tile
    /// [-boundary().low, size() + boundary().high).
    KOKKOS_FUNCTION constexpr GlobalRange owned(int p) const noexcept {
        const GlobalRange inner = interior(p);
        const Widths edge = boundary_padding(p);
        return {inner.begin - edge.low, inner.end + edge.high};
    }
    /// Elements that the section of process p holds, copies included.
    KOKKOS_FUNCTION constexpr GlobalRange held(int p) const noexcept {
        DISTVIEW_ASSERT(p >= 0 && p < m_grid_size);
        const GlobalRange mine = owned(p);
        const Widths copies = communication_padding(p);
        return {mine.begin - copies.low, mine.end + copies.high};
    }

    KOKKOS_FUNCTION constexpr std::int64_t local_extent(int p) const noexcept {
        return held(p).size();
    }
    KOKKOS_FUNCTION constexpr LocalRange owned_local(int p) const noexcept {
        const GlobalRange mine = owned(p);
        return {to_local(p, mine.begin), to_local(p, mine.end)};
    }
    KOKKOS_FUNCTION constexpr LocalRange interior_local(int p) const noexcept {
        const GlobalRange inner = interior(p);
        return {to_local(p, inner.begin), to_local(p, inner.end)};
    }

    /// The process that owns g, -boundary().low <= g < size() + boundary().high.
    KOKKOS_FUNCTION constexpr int owner(GlobalIndex g) const noexcept {
        const std::int64_t i = g.value();
        DISTVIEW_ASSERT(i >= -m_boundary.low && i < m_size + m_boundary.high);
        if (i < 0) return 0;
        if (i >= m_size) return m_grid_size - 1;
        switch (m_split) {
        case BlockSplit::regular: return static_cast<int>(i / regular_block());
        case BlockSplit::balanced: {
            const std::int64_t q = m_size / m_grid_size;
            const std::int64_t larger = m_size % m_grid_size;
            const std::int64_t in_larger = larger * (q + 1);
            return static_cast<int>(i < in_larger ? i / (q + 1) : larger + (i - in_larger) / q);
        }
        case BlockSplit::irregular: break;
        }
        // The last process whose bound is <= i: if several bounds coincide, its block is the one that is not empty.
        int first = 0;
        int count = m_grid_size;
        while (count > 1) {
            const int half = count / 2;
            if (m_bounds[first + half] <= i) {
                first += half;
                count -= half;
            } else {
                count = half;
            }
        }
        return first;
    }

    /// The position of g in process p's section, for g in held(p).
    KOKKOS_FUNCTION constexpr LocalIndex to_local(int p, GlobalIndex g) const noexcept {
        return LocalIndex(g - held(p).begin);
    }
    /// The element at position l of process p's section.
    KOKKOS_FUNCTION constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        return held(p).begin + l.value();
    }
    /// The index of element g in the protocol's version 0.10; global_index() is the inverse.
    KOKKOS_FUNCTION constexpr ProtocolIndex protocol_index(GlobalIndex g) const noexcept {
        return ProtocolIndex(g.value() + m_boundary.low);
    }
    KOKKOS_FUNCTION constexpr GlobalIndex global_index(ProtocolIndex i) const noexcept {
        return GlobalIndex(i.value() - m_boundary.low);
    }

    /// The same layout with tables at another address (for a copy in device memory).
    KOKKOS_FUNCTION constexpr BlockLayout with_tables(const std::int64_t* from,
                                                      const std::int64_t* to) const noexcept {
        BlockLayout moved = *this;
        if (m_bounds) moved.m_bounds = to + (m_bounds - from);
        if (m_widths) moved.m_widths = to + (m_widths - from);
        return moved;
    }

private:
    KOKKOS_FUNCTION constexpr std::int64_t regular_block() const noexcept {
        return (m_size + m_grid_size - 1) / m_grid_size;
    }
    /// First interior element of process p; p may be grid_size.
    KOKKOS_FUNCTION constexpr std::int64_t bound(int p) const noexcept {
        switch (m_split) {
        case BlockSplit::regular: {
            const std::int64_t b = regular_block();
            return b * p < m_size ? b * p : m_size;
        }
        case BlockSplit::balanced: {
            const std::int64_t q = m_size / m_grid_size;
            const std::int64_t larger = m_size % m_grid_size;
            return p * q + (p < larger ? p : larger);
        }
        case BlockSplit::irregular: break;
        }
        return m_bounds[p];
    }

    std::int64_t m_size = 0;
    int m_grid_size = 1;
    BlockSplit m_split = BlockSplit::balanced;
    bool m_periodic = false;
    Widths m_padding{};
    Widths m_boundary{};
    const std::int64_t* m_bounds = nullptr;
    const std::int64_t* m_widths = nullptr;
};

} // namespace distview
