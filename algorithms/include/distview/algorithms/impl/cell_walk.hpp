// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/core/error.hpp>
#include <distview/core/kokkos_ext.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace distview::impl {

/// The order in which the cells of a box are visited: first along axis `Inner`, which has the smallest stride, then
/// along the others, from the last axis to the first or, for LayoutLeft, from the first axis to the last.
///
/// IndexType is the type of the indices passed to bodies.
template <int Rank, int Inner, bool LeftToRight, class IndexType>
class CellWalk {
public:
    static constexpr int axes = CellBox<Rank>::axes;
    using index_type = IndexType;

    explicit CellWalk(const CellBox<Rank>& box) : m_count(box.count()) {
        for (int d = 0; d < axes; ++d) {
            m_begin[d] = static_cast<IndexType>(box.begin[d]);
            m_end[d] = static_cast<IndexType>(box.end[d]);
        }
    }

    std::int64_t count() const noexcept { return m_count; }

    /// Calls body(i, j, ...) for a cell given by its number.
    template <class Body, class CellNumber, class... Arguments>
    KOKKOS_FUNCTION void visit_cell(const Body& body, CellNumber cell,
                                    Arguments&... arguments) const {
        IndexType at[axes] = {};
        locate(cell, at);
        call(body, at, std::make_integer_sequence<int, Rank>(), arguments...);
    }

    /// Calls row(at, first, last) for every row, or part of a row, in part `part` of `parts` parts with equal numbers
    /// of cells. The cells are `at` with at[Inner] in [first, last).
    template <class Row>
    void visit_rows(std::int64_t part, std::int64_t parts, Row&& row) const {
        // m_count * part / parts may overflow.
        const auto cut = [this, parts](std::int64_t p) {
            return m_count / parts * p + m_count % parts * p / parts;
        };
        const std::int64_t first_cell = cut(part);
        std::int64_t left = cut(part + 1) - first_cell;
        if (left == 0) return;
        IndexType at[axes] = {};
        locate(first_cell, at);
        while (left > 0) {
            const std::int64_t row_end = m_end[Inner];
            const std::int64_t length = std::min<std::int64_t>(left, row_end - at[Inner]);
            row(at, at[Inner], static_cast<IndexType>(at[Inner] + length));
            left -= length;
            at[Inner] = m_begin[Inner];
            for (int k = 1; k < axes; ++k) {
                const int d = axis(k);
                if (++at[d] < m_end[d]) break;
                at[d] = m_begin[d];
            }
        }
    }

    /// Calls body with the indices `at`, but with `inner` as the index along Inner.
    template <class Body, class... Arguments>
    KOKKOS_FORCEINLINE_FUNCTION static void call_in_row(const Body& body, const IndexType* at,
                                                        IndexType inner, Arguments&... arguments) {
        call_in_row(body, at, inner, std::make_integer_sequence<int, Rank>(), arguments...);
    }

private:
    /// The k-th axis in the order of visits, k = 0 the fastest.
    KOKKOS_FUNCTION static constexpr int axis(int k) {
        if (k == 0) return Inner;
        if (LeftToRight) return k <= Inner ? k - 1 : k;
        return axes - k <= Inner ? axes - k - 1 : axes - k;
    }

    template <class CellNumber>
    KOKKOS_FUNCTION void locate(CellNumber cell, IndexType* at) const {
        for (int k = 0; k < axes; ++k) {
            const int d = axis(k);
            const auto extent = static_cast<CellNumber>(m_end[d] - m_begin[d]);
            at[d] = static_cast<IndexType>(m_begin[d] + static_cast<IndexType>(cell % extent));
            cell /= extent;
        }
    }

    template <class Body, int... Axis, class... Arguments>
    KOKKOS_FORCEINLINE_FUNCTION static void
    call(const Body& body, [[maybe_unused]] const IndexType* at,
         std::integer_sequence<int, Axis...>, Arguments&... arguments) {
        body(arguments..., at[Axis]...);
    }

    template <class Body, int... Axis, class... Arguments>
    KOKKOS_FORCEINLINE_FUNCTION static void
    call_in_row(const Body& body, [[maybe_unused]] const IndexType* at,
                [[maybe_unused]] IndexType inner, std::integer_sequence<int, Axis...>,
                Arguments&... arguments) {
        body(arguments..., (Axis == Inner ? inner : at[Axis])...);
    }

    IndexType m_begin[axes];
    IndexType m_end[axes];
    std::int64_t m_count;
};

/// Whether a functor declares an index narrower than 64 bits; unknown for templates.
template <class... Parameters>
inline constexpr bool any_narrow = ((sizeof(std::remove_cvref_t<Parameters>) < 8) || ...);
template <class Class, class Result, class... Parameters>
constexpr bool declares_narrow(Result (Class::*)(Parameters...) const) {
    return any_narrow<Parameters...>;
}
/// Same, for its first `Count` parameters.
template <std::size_t Count, class Class, class Result, class... Parameters>
constexpr bool declares_narrow_first(Result (Class::*)(Parameters...) const) {
    const std::array<bool, sizeof...(Parameters)> narrow{
        (sizeof(std::remove_cvref_t<Parameters>) < 8)...};
    bool any = false;
    for (std::size_t i = 0; i < Count && i < narrow.size(); ++i) any = any || narrow[i];
    return any;
}
template <class Functor, int Count>
constexpr bool declares_narrow_indices() {
    if constexpr (requires { &Functor::operator(); })
        return declares_narrow_first<static_cast<std::size_t>(Count)>(&Functor::operator());
    else
        return false;
}
/// Same, for all parameters but the first, which is no index.
template <class Class, class Result, class First, class... Indices>
constexpr bool declares_narrow_rest(Result (Class::*)(First, Indices...) const) {
    return any_narrow<Indices...>;
}
template <class Functor>
constexpr bool declares_narrow_indices_after_one() {
    if constexpr (requires { &Functor::operator(); })
        return declares_narrow_rest(&Functor::operator());
    else
        return false;
}
template <class Functor>
constexpr bool takes_narrow_indices() {
    if constexpr (requires { Functor::takes_narrow_indices; })
        return Functor::takes_narrow_indices;
    else if constexpr (requires { &Functor::operator(); })
        return declares_narrow(&Functor::operator());
    else
        return false;
}

/// Extents or strides, converted to the library's type.
template <ViewLike View>
Extents extents_of(const View& view) {
    Extents extents{};
    for (std::size_t d = 0; d < View::rank(); ++d)
        extents[d] = static_cast<std::int64_t>(view.extent(d));
    return extents;
}
template <ViewLike View>
Extents strides_of(const View& view) {
    Extents strides{};
    for (std::size_t d = 0; d < View::rank(); ++d)
        strides[d] = static_cast<std::int64_t>(view.stride(d));
    return strides;
}

/// The axis with the smallest stride among the axes along which the box has more than one cell.
template <class KokkosView, int Rank>
int contiguous_axis(const KokkosView& view, const CellBox<Rank>& box) {
    int best = Rank - 1;
    bool found = false;
    for (int d = Rank - 1; d >= 0; --d) {
        if (box.end[d] - box.begin[d] <= 1) continue;
        if (!found ||
            view.stride(static_cast<std::size_t>(d)) < view.stride(static_cast<std::size_t>(best)))
            best = d;
        found = true;
    }
    return best;
}

/// Calls use(walk) with the CellWalk for a box of cells of `view`.
///
/// `PreferNarrow` is for GPUs, whose 64-bit arithmetic is slow: indices have 32 bits if these suffice. Hosts are as
/// fast with 64 bits, and need no second instantiation.
template <class Body, bool PreferNarrow, DistViewLike View, class Use>
void with_cell_walk(const char* caller, const View& view, const CellBox<View::rank()>& box,
                    Use&& use) {
    constexpr int rank = View::rank();
    constexpr int last = CellBox<rank>::axes - 1;
    constexpr bool only_narrow = takes_narrow_indices<Body>();
    const std::int64_t end = *std::max_element(std::begin(box.end), std::end(box.end));
    require<UsageError>(!only_narrow || end <= std::numeric_limits<int>::max(), [&] {
        return text(caller,
                    ": expected a functor that accepts 64-bit indices, because the section of '",
                    view.label(), "' is longer than 2^31-1");
    });

    const auto with_inner = [&]<int Inner, bool LeftToRight>() {
        if constexpr (only_narrow) {
            use(CellWalk<rank, Inner, LeftToRight, int>(box));
        } else if constexpr (PreferNarrow) {
            if (fits_in_32_bits(end)) // shifts are added to the indices
                use(CellWalk<rank, Inner, LeftToRight, int>(box));
            else
                use(CellWalk<rank, Inner, LeftToRight, std::int64_t>(box));
        } else {
            use(CellWalk<rank, Inner, LeftToRight, std::int64_t>(box));
        }
    };
    if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>) {
        with_inner.template operator()<0, true>();
    } else if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride> &&
                         rank > 1) {
        const int inner = contiguous_axis(view.view(), box);
        [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
            (void)((Axis == inner && (with_inner.template operator()<Axis, false>(), true)) || ...);
        }(std::make_integer_sequence<int, rank>());
    } else {
        with_inner.template operator()<last, false>();
    }
}

} // namespace distview::impl
