// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/local_box.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::impl {

/// Records the global indices of the elements that a functor requests, on the host. Every element reads as T().
template <class T, int Rank>
class RecordedElements {
public:
    explicit RecordedElements(std::vector<std::int64_t>& indices) : m_indices(&indices) {}

    template <class... Indices>
    KOKKOS_FUNCTION T operator()([[maybe_unused]] Indices... index) const {
        static_assert(sizeof...(Indices) == Rank, "InspectedLoop: expected an index for each axis");
        KOKKOS_IF_ON_HOST(
            (m_indices->insert(m_indices->end(), {static_cast<std::int64_t>(index)...});))
        return T();
    }

private:
    std::vector<std::int64_t>* m_indices;
};

/// Elements of this process's section, along axes of blocks: found by adding a shift to each index.
template <ViewLike View, int Rank>
class OwnElements {
public:
    using value_type = typename View::non_const_value_type;
    /// `shift`: position of the element with index 0 along each axis.
    OwnElements(const View& view, const Extents& shift) : m_view(view) {
        for (int d = 0; d < Rank; ++d) m_shift[d] = shift[static_cast<std::size_t>(d)];
    }

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION value_type operator()(Indices... index) const {
        return at(std::make_integer_sequence<int, Rank>(), index...);
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION value_type at(std::integer_sequence<int, Axis...>,
                                              Indices... index) const {
        return m_view((static_cast<std::int64_t>(index) + m_shift[Axis])...);
    }

    View m_view;
    std::int64_t m_shift[Rank];
};

/// Elements by their addresses, in the order in which the functor has requested them.
template <class T>
class ReplayedElements {
public:
    KOKKOS_FUNCTION ReplayedElements(const std::int64_t* addresses, const std::int64_t* end,
                                     std::int64_t* overruns)
        : m_next(addresses), m_end(end), m_overruns(overruns) {}

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION T operator()(Indices...) const {
        if (m_next == m_end) {
            *m_overruns = 1;
            return T();
        }
        return *reinterpret_cast<const T*>(*m_next++);
    }

private:
    mutable const std::int64_t* m_next;
    const std::int64_t* m_end;
    std::int64_t* m_overruns; ///< written by any thread, always with the same value
};

/// The cells of a loop and the elements that its functor requests, found by running the functor once.
///
/// Cells are some interior cells of `to`; cells in `inner` request only own elements.
struct Inspection {
    LocalBox inner{}; ///< positions in the section of `to`; empty if there are none
    std::vector<std::int64_t> cells{};   ///< global indices of the outer cells, cell after cell
    std::vector<std::int64_t> cell_at{}; ///< their offsets in the section of `to`, in elements
    std::vector<std::int64_t> first{};   ///< number of each one's first element; one more
    /// For each element: its offset in the section of `from`, or ~(number in `brought`) if another process owns it.
    std::vector<std::int64_t> places{};
    std::vector<std::int64_t> brought{}; ///< global indices of the elements to bring
};

/// Builds an Inspection from the elements that a functor requests, cell by cell.
class Inspector {
public:
    /// `from_strides` and `to_strides` are the sections' strides in elements. `cells` has a range of global indices for
    /// each axis of `to`, or none: all cells.
    Inspector(const ArrayLayout& from, const ArrayLayout& to, int process,
              const Extents& from_strides, const Extents& to_strides,
              std::vector<IndexRange> cells);

    /// Calls ask(cell, indices) for these interior cells of `to` with their global indices, twice for outer cells.
    /// ask() appends the indices of the elements of `from` that the cell requests, in every call the same.
    template <class Ask>
    Inspection inspect(Ask&& ask) {
        std::vector<std::int64_t> indices;
        for_each_cell([&](const Index& cell, const Position&) {
            indices.clear();
            ask(cell, indices);
            m_own.push_back(is_own(indices) ? 1 : 0);
        });
        choose_inner();
        for_each_cell([&](const Index& cell, const Position& position) {
            if (is_inner(position)) return;
            indices.clear();
            ask(cell, indices);
            add_cell(cell, position, indices);
        });
        return finish();
    }

    /// Position of the element with index 0 along each axis of `from`, if inner cells exist: then all axes are blocks.
    const Extents& shift() const noexcept { return m_shift; }

private:
    using Index = std::vector<std::int64_t>;
    using Position = std::array<LocalIndex, max_rank>;

    template <class Visit>
    void for_each_cell(Visit&& visit) const {
        const auto axes = static_cast<std::size_t>(m_to.rank());
        Position position{};
        Index cell(axes);
        for (std::size_t d = 0; d < axes; ++d) {
            if (m_ranges[d].empty()) return;
            position[d] = m_ranges[d].begin;
        }
        for (;;) {
            for (std::size_t d = 0; d < axes; ++d)
                cell[d] = m_to.axis(static_cast<int>(d)).to_global(m_to_at[d], position[d]).value();
            if (is_wanted(cell)) visit(std::as_const(cell), std::as_const(position));
            std::size_t d = axes;
            while (d-- > 0) {
                if (++position[d] < m_ranges[d].end) break;
                position[d] = m_ranges[d].begin;
                if (d == 0) return;
            }
        }
    }

    bool is_wanted(const Index& cell) const;
    void choose_inner();
    bool is_inner(const Position& position) const;
    bool is_own(const Index& indices) const;
    /// Offset of an own element in the section of `from`; -1 if another process owns it.
    std::int64_t own_place(const std::int64_t* index) const;
    void add_cell(const Index& cell, const Position& position, const Index& indices);
    Inspection finish();

    const ArrayLayout& m_from;
    const ArrayLayout& m_to;
    GridCoordinates m_from_at;
    GridCoordinates m_to_at;
    Extents m_from_strides;
    Extents m_to_strides;
    std::vector<IndexRange> m_cells;
    Extents m_shift{};
    bool m_has_blocks = true;                    ///< whether all axes of both arrays are blocks
    std::array<LocalRange, max_rank> m_ranges{}; ///< interior positions of `to`
    std::vector<char> m_own;                     ///< by cell, whether it requests only own elements
    Index m_foreign; ///< elements of other processes, in the order of `places`
    Inspection m_result;
};

} // namespace distview::impl
