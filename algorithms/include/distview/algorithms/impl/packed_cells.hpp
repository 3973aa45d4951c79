// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/comm/communicator.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// T*...*, with one star for each axis.
template <class T, int Rank>
struct AsDynamic {
    using type = typename AsDynamic<T*, Rank - 1>::type;
};
template <class T>
struct AsDynamic<T, 0> {
    using type = T;
};

/// Positions of the packed cells of one process in the gathered array.
class PackedSection {
public:
    /// Part of a row of the section: the packed elements from a given number on.
    struct Row {
        std::int64_t base = 0;   ///< offset in the gathered array without the last axis
        std::int64_t begin = 0;  ///< position along the last axis
        std::int64_t length = 0; ///< to the end of the row
        bool wanted = true;      ///< false if another process provides these elements
    };
    Row row(std::int64_t element) const;
    /// Offset of a position of the last axis; negative if another process provides the element.
    std::int64_t last(std::int64_t position) const {
        return m_offsets.back()[static_cast<std::size_t>(position)];
    }

private:
    friend class GatherGeometry;
    /// For each axis and position: index in the gathered array times its stride, or -1.
    std::vector<std::vector<std::int64_t>> m_offsets;
};

/// Selects the copies that count if an element is on several processes.
enum class Copies { of_owner, all };

/// Facts about all sections that gather() and scatter() need.
class GatherGeometry {
public:
    GatherGeometry() = default;
    /// Throws UsageError if there is no process `root`.
    GatherGeometry(const char* caller, const ArrayLayout& layout, Cells cells, int root,
                   std::size_t element_bytes);
    /// Requests from other processes the labels that the layout lacks; all functions below need these except extents().
    ///
    /// Collective: over comm; an error of one rank, such as too little memory, is thrown on all ranks
    void complete(const char* caller, const Communicator& comm);

    /// Extents of the gathered array.
    const Extents& extents() const noexcept { return m_extents; }
    /// Bytes of the cells of every process.
    std::span<const std::int64_t> sizes() const noexcept { return m_sizes; }
    /// Throws ShapeError unless these are extents().
    void check_extents(const char* caller, const Extents& extents) const;

    /// Calls move(offset of the element in the gathered array, offset of its bytes in the piece)
    /// for the packed elements of a process whose bytes lie in [offset, offset + bytes).
    template <class Move>
    void for_each_element(int process, const Extents& strides, Copies copies, std::int64_t offset,
                          std::int64_t bytes, Move&& move) const {
        const PackedSection section = packed_section(process, strides, copies);
        const std::int64_t first = offset / m_element_bytes;
        const std::int64_t end = first + bytes / m_element_bytes;
        for (std::int64_t element = first; element < end;) {
            const PackedSection::Row row = section.row(element);
            const std::int64_t count = std::min(row.length, end - element);
            for (std::int64_t k = 0; row.wanted && k < count; ++k) {
                const std::int64_t last = section.last(row.begin + k);
                if (last >= 0) move(row.base + last, (element - first + k) * m_element_bytes);
            }
            element += count;
        }
    }

private:
    PackedSection packed_section(int process, const Extents& strides, Copies copies) const;

    ArrayLayout m_layout;
    Cells m_cells = Cells::interior;
    std::int64_t m_element_bytes = 1;
    Extents m_extents{};
    std::vector<std::int64_t> m_sizes;
    std::array<std::vector<std::int64_t>, max_rank> m_labels; ///< sorted; of unstructured axes
};

} // namespace distview::impl
