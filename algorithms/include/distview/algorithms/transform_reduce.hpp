// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/matched_arrays.hpp>
#include <distview/algorithms/impl/reduction.hpp>
#include <distview/algorithms/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace distview {

namespace impl {

/// Adds functor(a(i, j, ...), b(i, j, ...), ...) of every cell to a Kokkos reducer.
template <std::size_t Number, class Reducer, class Functor, class Sources>
struct MapReduction {
    using value_type = typename Reducer::value_type;
    /// Enough partial results that the latency of an addition does not limit sums.
    static constexpr int lanes = 8;
    Reducer reducer;
    Functor functor;
    Sources sources;

    KOKKOS_FUNCTION void init(value_type& value) const { reducer.init(value); }
    KOKKOS_FUNCTION void join(value_type& value, const value_type& other) const {
        reducer.join(value, other);
    }
    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(value_type& value, Indices... at) const {
        take(std::make_index_sequence<Number>(), value, at...);
    }

private:
    template <std::size_t... N, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void take(std::index_sequence<N...>, value_type& value,
                                          Indices... at) const {
        reducer.join(value, static_cast<value_type>(functor(value_at<N>(sources)(at...)...)));
    }
};

/// Reduces the cells of this section; waits for the result.
template <ExecutionSpace Exec, class Reducer, class Functor, DistViewLike First,
          DistViewLike... Rest>
auto reduce_matched(const Caller& caller, const Exec& exec, Cells cells, const Reducer& reducer,
                    const Functor& functor, const First& first, const Rest&... rest) {
    const MatchedArrays<First, Rest...> matched(caller.name, first, cells, first, rest...);
    const auto run = [&]<class Sources>(const Sources& sources) {
        using Reduction = MapReduction<1 + sizeof...(Rest), Reducer, Functor, Sources>;
        return reduce_section(caller, exec, first, cells, Reduction{reducer, functor, sources});
    };
    if constexpr (sizeof...(Rest) > 0)
        if (matched.any_spreads) return run(matched.spread(first, rest...));
    return run(matched.shifted(first, rest...));
}

/// reduce_ranks() for several arrays.
template <ExecutionSpace Exec, class Reducer, class Functor, DistViewLike First,
          DistViewLike... Rest>
typename Reducer::value_type reduce_arrays(const Caller& caller, const Exec& exec,
                                           const Communicator& comm, Cells cells,
                                           const Reducer& reducer, const Functor& functor,
                                           const First& first, const Rest&... rest) {
    static_assert(std::is_trivially_copyable_v<typename Reducer::value_type>,
                  "transform_reduce: a reducer's values are sent as bytes: they must be trivially "
                  "copyable");
    const auto compute = [&] {
        return reduce_matched(caller, exec, cells, reducer, functor, first, rest...);
    };
    return reduce_ranks(caller, comm, first, cells, reducer, compute, rest...).value;
}

template <class Predicate>
struct CountIf {
    Predicate predicate;

    template <class... Values>
    KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(const Values&... values) const {
        return predicate(values...) ? 1 : 0;
    }
};

template <ExecutionSpace Exec, class Predicate, DistViewLike... Arrays>
std::int64_t count_cells(const Caller& caller, const Exec& exec, const Communicator& comm,
                         Cells cells, const Predicate& predicate, const Arrays&... arrays) {
    std::int64_t count = 0;
    return reduce_arrays(caller, exec, comm, cells, Kokkos::Sum<std::int64_t>(count),
                         CountIf<Predicate>{predicate}, arrays...);
}

/// Arrays of equal rank that `Exec` can access and a functor of their values.
template <class Exec, class Functor, class First, class... Rest>
concept ReadTogether =
    AccessibleFrom<First, Exec> && (AccessibleFrom<Rest, Exec> && ...) &&
    ((Rest::rank() == First::rank()) && ...) && ValueFunctor<Functor, First, Rest...>;

} // namespace impl

/// Reduces the results of a functor, called with the values of every cell in one or several arrays, to the same value
/// on every rank:
///
///     double energy = 0, farthest = 0;
///     transform_reduce(exec, comm, energy, KOKKOS_LAMBDA(double u, double v) { return u * u + v * v; }, u, v);
///     transform_reduce(exec, comm, Kokkos::Max<double>(farthest),
///                      KOKKOS_LAMBDA(double u, double v) { return Kokkos::abs(u - v); }, u, v);
///
/// The result is a variable, which receives the sum, or a Kokkos reducer of host memory (Kokkos' own or the program's);
/// its earlier value is ignored. The functor's return value is converted to the result's type and added up in that
/// type: use a double for a sum of floats. The result has the same bits on all ranks, and again whenever the call is
/// repeated with the same numbers of ranks and threads; over no cells it is the reducer's neutral element. If
/// unstructured lists place an element on several processes, the element counts once for each of them.
///
/// The arrays are matched as in transform(), with the first array as the target. reduce() also passes the cells'
/// indices, and computes several results.
///
/// Collective: over comm; all ranks pass sections of the same arrays, functors with the same meaning, and reducers of
///             the same type
/// Shapes:     those of transform()
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       that of sum()
/// Errors:     those of sum() and of transform() (thrown on all ranks)
template <ExecutionSpace Exec, ReductionResult Result, class Functor, DistViewLike First,
          DistViewLike... Rest>
    requires impl::ReadTogether<Exec, Functor, First, Rest...>
void transform_reduce(const Exec& exec, const Communicator& comm, Cells cells, Result&& result,
                      const Functor& functor, const First& first, const Rest&... rest) {
    static constexpr impl::Caller caller("transform_reduce");
    const auto reducer = impl::as_reducer(result);
    reducer.reference() =
        impl::reduce_arrays(caller, exec, comm, cells, reducer, functor, first, rest...);
}
/// Same, over the interior.
///
/// Collective: over comm
template <ExecutionSpace Exec, ReductionResult Result, class Functor, DistViewLike First,
          DistViewLike... Rest>
    requires impl::ReadTogether<Exec, Functor, First, Rest...>
void transform_reduce(const Exec& exec, const Communicator& comm, Result&& result,
                      const Functor& functor, const First& first, const Rest&... rest) {
    transform_reduce(exec, comm, Cells::interior, std::forward<Result>(result), functor, first,
                     rest...);
}

/// Counts the interior cells for whose values (in one or several arrays) a predicate is true; returns the number on
/// every rank:
///
///     count_if(exec, comm, KOKKOS_LAMBDA(double t) { return t < 0; }, temperature);
///
/// Collective: over comm; as transform_reduce()
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       that of sum()
/// Errors:     those of transform_reduce() (thrown on all ranks)
template <ExecutionSpace Exec, class Predicate, DistViewLike First, DistViewLike... Rest>
    requires impl::ReadTogether<Exec, Predicate, First, Rest...>
std::int64_t count_if(const Exec& exec, const Communicator& comm, const Predicate& predicate,
                      const First& first, const Rest&... rest) {
    static constexpr impl::Caller caller("count_if");
    return impl::count_cells(caller, exec, comm, Cells::interior, predicate, first, rest...);
}

/// Whether a predicate is true for any interior cell, on every rank; false without cells. All cells are visited.
///
/// Collective: over comm; the rest is as in count_if()
template <ExecutionSpace Exec, class Predicate, DistViewLike First, DistViewLike... Rest>
    requires impl::ReadTogether<Exec, Predicate, First, Rest...>
bool any_of(const Exec& exec, const Communicator& comm, const Predicate& predicate,
            const First& first, const Rest&... rest) {
    static constexpr impl::Caller caller("any_of");
    return impl::count_cells(caller, exec, comm, Cells::interior, predicate, first, rest...) > 0;
}

namespace impl {
template <class Predicate>
struct Negation {
    Predicate predicate;

    template <class... Values>
    KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Values&... values) const {
        return !predicate(values...);
    }
};
} // namespace impl

/// Whether a predicate is true for all interior cells, on every rank; true without cells. All cells are visited.
///
/// Collective: over comm; the rest is as in count_if()
template <ExecutionSpace Exec, class Predicate, DistViewLike First, DistViewLike... Rest>
    requires impl::ReadTogether<Exec, Predicate, First, Rest...>
bool all_of(const Exec& exec, const Communicator& comm, const Predicate& predicate,
            const First& first, const Rest&... rest) {
    static constexpr impl::Caller caller("all_of");
    return impl::count_cells(caller, exec, comm, Cells::interior,
                             impl::Negation<Predicate>{predicate}, first, rest...) == 0;
}

} // namespace distview
