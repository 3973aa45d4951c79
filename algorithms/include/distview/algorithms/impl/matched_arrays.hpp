// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/flat_cells.hpp>
#include <distview/algorithms/impl/functor_reduction.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace distview::impl {

/// Converts positions in a section of `to` to positions in a section of `from`: position * factor + shift. The factor
/// is 0 along an axis of which `from` has one cell for all of `to`.
struct CellMatch {
    Extents shift{};
    Extents factor{};
    bool spreads = false;
};

/// Throws ShapeError, which names both layouts and a call that aligns them, unless this process has the same cells of
/// both.
CellMatch match_cells(const char* caller, const SectionPlace& to, const SectionPlace& from,
                      Cells cells);

/// A view read at the positions of another array's section; along axes with one cell for all positions, that cell.
template <ViewLike View>
struct SpreadView {
    View view;
    Shift<static_cast<int>(View::rank())> shift;
    Shift<static_cast<int>(View::rank())> factor;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(Indices... at) const {
        return element(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(),
                       at...);
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element(std::integer_sequence<int, Axis...>,
                                                       Indices... at) const {
        return view(
            (at * static_cast<Indices>(factor.by[Axis]) + static_cast<Indices>(shift.by[Axis]))...);
    }
};

template <int Rank>
Shift<Rank> shift_of(const Extents& by) {
    Shift<Rank> shift;
    for (int d = 0; d < Rank; ++d) shift.by[d] = by[static_cast<std::size_t>(d)];
    return shift;
}

/// The arrays that a kernel reads, matched with the array whose cells it visits.
template <DistViewLike... From>
struct MatchedArrays {
    static constexpr std::size_t number = sizeof...(From);
    std::array<CellMatch, number> matches;
    bool any_spreads = false;

    template <DistViewLike To>
    MatchedArrays(const char* caller, const To& to, Cells cells, const From&... from)
        : matches{match_cells(caller, place_of(to), place_of(from), cells)...} {
        for (const CellMatch& match : matches) any_spreads = any_spreads || match.spreads;
    }

    /// Throws UsageError if the cells of `box` in `to` share memory with other cells of an array that is read.
    template <DistViewLike To, int Rank>
    void require_apart_from(const char* caller, const To& to, const CellBox<Rank>& box,
                            const From&... from) const {
        std::size_t n = 0;
        const auto check = [&](const auto& view, const CellMatch& match) {
            require_apart(caller, visited_cells(to.view(), box),
                          visited_cells(view, box, match.shift.data(), match.factor.data()));
        };
        (check(from.view(), matches[n++]), ...);
    }

    /// Whether the cells of `box` are one row in `to` and, in the same order, in all other arrays.
    template <DistViewLike To, int Rank>
    bool is_flat_with(const To& to, const CellBox<Rank>& box, const From&... from) const {
        return !any_spreads && is_flat(to.view(), box) &&
               (same_strides(from.view(), to.view(), box) && ...);
    }
    template <int Rank>
    auto flat(const CellBox<Rank>& box, const From&... from) const {
        return [&]<std::size_t... N>(std::index_sequence<N...>) {
            return make_pack(
                flat_cells(from.view(), box, shift_of<Rank>(std::get<N>(matches).shift))...);
        }(std::index_sequence_for<From...>());
    }
    auto shifted(const From&... from) const {
        return [&]<std::size_t... N>(std::index_sequence<N...>) {
            return make_pack(ShiftedView<typename From::view_type>{
                from.view(), shift_of<From::rank()>(std::get<N>(matches).shift)}...);
        }(std::index_sequence_for<From...>());
    }
    auto spread(const From&... from) const {
        return [&]<std::size_t... N>(std::index_sequence<N...>) {
            return make_pack(SpreadView<typename From::view_type>{
                from.view(), shift_of<From::rank()>(std::get<N>(matches).shift),
                shift_of<From::rank()>(std::get<N>(matches).factor)}...);
        }(std::index_sequence_for<From...>());
    }
};

} // namespace distview::impl
