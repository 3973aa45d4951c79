// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/global_maps.hpp>
#include <distview/algorithms/impl/numbers.hpp>
#include <distview/algorithms/impl/reduction.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace distview {

/// An array whose elements are ordered.
template <class T>
concept OrderedDistView = DistViewLike<T> && RealNumber<typename T::non_const_value_type>;

/// A cell's value and global indices, which are the cell's indices in gather()'s result. Indices are negative, or
/// extent(d) and above, in boundary padding (Cells::owned); on unstructured axes they are labels.
template <class T, int Rank>
struct CellValue {
    T value{};
    std::array<GlobalIndex, static_cast<std::size_t>(Rank)> index{};

    friend bool operator==(const CellValue&, const CellValue&) = default;
};

namespace impl {

/// Orders values by preference: NaN first, then the least or the greatest.
template <class T, bool Greatest>
struct Preference {
    KOKKOS_FORCEINLINE_FUNCTION static bool prefers(T a, T b) {
        return (Greatest ? b < a : a < b) || (is_nan(a) && !is_nan(b));
    }
    /// A value that is preferred to no other value.
    KOKKOS_FUNCTION static constexpr T last() {
        if constexpr (std::floating_point<T>)
            return Greatest ? -Kokkos::Experimental::infinity_v<T>
                            : Kokkos::Experimental::infinity_v<T>;
        else
            return Greatest ? Kokkos::Experimental::finite_min_v<T>
                            : Kokkos::Experimental::finite_max_v<T>;
    }
};

template <ViewLike View, bool Greatest>
struct ExtremumReduction {
    using value_type = typename View::non_const_value_type;
    static constexpr int lanes = 32;
    View view;

    KOKKOS_FUNCTION static void init(value_type& value) {
        value = Preference<value_type, Greatest>::last();
    }
    /// A NaN on either side gives NaN. Two selections without branches can be vectorised by compilers.
    KOKKOS_FORCEINLINE_FUNCTION static void join(value_type& value, const value_type& other) {
        const value_type a = value;
        const value_type b = other;
        const bool keep = Greatest ? b < a : a < b;
        const value_type better = keep ? a : b;
        value = is_nan(a) ? a : better;
    }
    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(value_type& value, Indices... at) const {
        join(value, view(at...));
    }
};

template <class T, int Rank, bool Greatest>
struct LocatedJoin {
    static constexpr int lanes = 1;
    struct value_type {
        T value;
        bool found;
        GlobalIndex index[CellBox<Rank>::axes];
    };

    KOKKOS_FUNCTION static void init(value_type& best) {
        best.value = Preference<T, Greatest>::last();
        best.found = false;
    }
    KOKKOS_FUNCTION static void join(value_type& best, const value_type& other) {
        if (other.found && precedes(other.value, other.index, best)) best = other;
    }
    /// Whether a cell is a better result: preferred, or equal and earlier in C order.
    KOKKOS_FUNCTION static bool precedes(T value, const GlobalIndex* index,
                                         const value_type& best) {
        using Order = Preference<T, Greatest>;
        if (!best.found || Order::prefers(value, best.value)) return true;
        if (Order::prefers(best.value, value)) return false;
        for (int d = 0; d < Rank; ++d)
            if (index[d] != best.index[d]) return index[d] < best.index[d];
        return false;
    }
};

template <ViewLike View, bool Greatest, class Maps>
struct LocationReduction
    : LocatedJoin<typename View::non_const_value_type, static_cast<int>(View::rank()), Greatest> {
    using Join =
        LocatedJoin<typename View::non_const_value_type, static_cast<int>(View::rank()), Greatest>;
    using value_type = typename Join::value_type;
    LocationReduction(const View& elements, const Maps& to_global)
        : view(elements), maps(to_global) {}
    View view;
    Maps maps;

    template <class... Indices>
    KOKKOS_FUNCTION void operator()(value_type& best, Indices... at) const {
        const auto value = view(at...);
        // Most cells are worse and need no global index.
        if (best.found &&
            Preference<std::remove_const_t<decltype(value)>, Greatest>::prefers(best.value, value))
            return;
        value_type candidate{value, true, {}};
        int axis = 0;
        ((candidate.index[axis] = maps.global(axis, at), ++axis), ...);
        Join::join(best, candidate);
    }
};

/// Throws UsageError, the same on all ranks.
[[noreturn]] void throw_no_cells(const char* caller, const ArrayLayout& layout);

template <bool Greatest, ExecutionSpace Exec, DistViewLike View>
auto extremum(const Caller& caller, const Exec& exec, const Communicator& comm, const View& view,
              Cells cells) {
    using Reduction = ExtremumReduction<typename View::view_type, Greatest>;
    const auto best = reduce<Reduction>(caller, comm, view, cells, [&] {
        return reduce_section(caller, exec, view, cells, Reduction{view.view()});
    });
    if (!best.any) throw_no_cells(caller.name, view.layout());
    return best.value;
}

template <bool Greatest, ExecutionSpace Exec, DistViewLike View>
auto extremum_location(const Caller& caller, const Exec& exec, const Communicator& comm,
                       const View& view, Cells cells) {
    using T = typename View::non_const_value_type;
    using Join = LocatedJoin<T, View::rank(), Greatest>;
    const auto best = reduce<Join>(caller, comm, view, cells, [&] {
        typename Join::value_type local;
        with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
            using Reduction = LocationReduction<typename View::view_type, Greatest, Maps>;
            local = reduce_section(caller, exec, view, cells, Reduction(view.view(), maps));
        });
        return local;
    });
    if (!best.any) throw_no_cells(caller.name, view.layout());
    CellValue<T, View::rank()> result{best.value.value, {}};
    for (std::size_t d = 0; d < result.index.size(); ++d) result.index[d] = best.value.index[d];
    return result;
}

} // namespace impl

/// Returns the least value of all cells, on every rank; NaN if any cell is NaN. If the least value is zero and zeros of
/// both signs occur, the sign of the result depends on the layout and the numbers of ranks and threads.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       one MPI_Allgather of some 32 bytes a rank
/// Errors:     those of sum(); UsageError if the array has no cells (thrown on all ranks)
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
typename View::non_const_value_type min(const Exec& exec, const Communicator& comm,
                                        const View& view, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("min");
    return impl::extremum<false>(caller, exec, comm, view, cells);
}

/// Returns the greatest value of all cells; the rest is as in min().
///
/// Collective: over comm; all ranks pass sections of the same array
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
typename View::non_const_value_type max(const Exec& exec, const Communicator& comm,
                                        const View& view, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("max");
    return impl::extremum<true>(caller, exec, comm, view, cells);
}

/// Returns the least value and its location. If several cells have that value, the first one in C order of the global
/// indices is returned; if any cell is NaN, the first NaN.
///
/// The result therefore does not depend on the array's distribution.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       one MPI_Allgather of some 32 + 8 * View::rank() bytes a rank; on a device, an array with a cyclic or
///             unstructured axis needs a DeviceLayout
/// Errors:     those of min()
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
CellValue<typename View::non_const_value_type, View::rank()>
min_location(const Exec& exec, const Communicator& comm, const View& view,
             Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("min_location");
    return impl::extremum_location<false>(caller, exec, comm, view, cells);
}

/// Returns the greatest value and its location; the rest is as in min_location().
///
/// Collective: over comm; all ranks pass sections of the same array
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
CellValue<typename View::non_const_value_type, View::rank()>
max_location(const Exec& exec, const Communicator& comm, const View& view,
             Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("max_location");
    return impl::extremum_location<true>(caller, exec, comm, view, cells);
}

} // namespace distview
