// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// All reductions. They are collective, and bitwise repeatable for fixed numbers of ranks and threads.
#include <distview/algorithms/concepts.hpp>
#include <distview/algorithms/impl/functor_reduction.hpp>
#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace distview {

/// An argument that receives the result of a reduction: a Kokkos reducer of host memory, such as
/// Kokkos::Max<double>(most), or a variable, which receives a sum.
template <class T>
concept ReductionResult =
    (Kokkos::is_reducer<std::remove_cvref_t<T>>::value && impl::gives_to_host<T>()) ||
    (std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>> &&
     std::is_arithmetic_v<std::remove_reference_t<T>>);

namespace impl {
/// A functor of a cell's indices and of partial results, which the functor updates.
template <class Functor, class View, class... Results>
concept ReducingFunctor =
    can_take<Functor, EachAxis<std::int64_t, View::rank()>,
             std::tuple<typename decltype(as_reducer(std::declval<Results&>()))::value_type&...>>();
} // namespace impl

/// Reduces the contributions of functor(i, j, ..., a, b, ...) over all cells of an array, to one or several results in
/// one pass, with the same values on every rank:
///
///     double total = 0, most = 0;
///     reduce(exec, comm, u, KOKKOS_LAMBDA(int i, int j, double& sum, double& greatest) {
///         sum += v(i, j) * w(i, j);
///         greatest = Kokkos::max(greatest, Kokkos::abs(v(i, j)));
///     }, total, Kokkos::Max<double>(most));
///
/// As in Kokkos::parallel_reduce(), the functor adds a cell to partial results, and the reducers combine these.
/// Reducers are Kokkos' own (Sum, Prod, Max, MinMax, MinLoc, ...) or the program's; their values are sent to the other
/// ranks as bytes. Earlier values of the results are ignored. The results have the same bits on all ranks, and again
/// whenever the reduction is repeated with the same numbers of ranks and threads. Over no cells, a result is the
/// reducer's neutral element.
///
/// Collective: over comm; all ranks pass sections of the same array, functors with the same meaning, and reducers of
///             the same types
/// Indices:    local, all padding included, as in for_each()
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       that of sum(); the results of a rank are sent in one message
/// Errors:     those of sum(); UsageError if the functor declares ints and the section is longer than 2^31-1, or
///             if the results' size differs between ranks (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike View, class Functor, ReductionResult... Results>
    requires(AccessibleFrom<View, Exec> && sizeof...(Results) > 0 &&
             impl::ReducingFunctor<Functor, View, Results...>)
void reduce(const Exec& exec, const Communicator& comm, const View& view, Cells cells,
            const Functor& functor, Results&&... results) {
    static constexpr impl::Caller caller("reduce");
    const auto run = [&]<class... Reducers>(const Reducers&... reducers) {
        const impl::FunctorReduction<View::rank(), Functor, Reducers...> reduction(functor,
                                                                                   reducers...);
        const auto all = impl::reduce_ranks(caller, comm, view, cells, reduction, [&] {
            return impl::reduce_section(caller, exec, view, cells, reduction);
        });
        reduction.assign(all.value);
    };
    run(impl::as_reducer(results)...);
}
/// Same, over the interior.
///
/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike View, class Functor, ReductionResult... Results>
    requires(AccessibleFrom<View, Exec> && sizeof...(Results) > 0 &&
             impl::ReducingFunctor<Functor, View, Results...>)
void reduce(const Exec& exec, const Communicator& comm, const View& view, const Functor& functor,
            Results&&... results) {
    reduce(exec, comm, view, Cells::interior, functor, std::forward<Results>(results)...);
}

} // namespace distview
