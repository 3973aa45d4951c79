// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_terms.hpp>
#include <distview/algorithms/impl/numbers.hpp>
#include <distview/algorithms/impl/reduction.hpp>
#include <distview/algorithms/reduction_options.hpp>

#include <concepts>

namespace distview {

/// An array whose elements can be added up.
template <class T>
concept NumericDistView = DistViewLike<T> && Number<typename T::non_const_value_type>;

namespace impl {

template <class Value>
struct Addition {
    using value_type = Value;
    static constexpr int lanes = 16;
    KOKKOS_FUNCTION static void init(Value& value) { value = Value(0); }
    KOKKOS_FUNCTION static void join(Value& value, const Value& other) { value += other; }
};

template <ViewLike View>
struct SumReduction : Addition<Accumulator<typename View::non_const_value_type>> {
    explicit SumReduction(const View& summands) : view(summands) {}
    View view;

    template <class Value, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Value& value, Indices... at) const {
        value += to_accumulator(view(at...));
    }
};

template <ViewLike X, ViewLike Y>
struct DotReduction : Addition<Accumulator<typename X::non_const_value_type>> {
    DotReduction(const X& first, const ShiftedView<Y>& second) : x(first), y(second) {}
    X x;
    ShiftedView<Y> y;

    template <class Value, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Value& value, Indices... at) const {
        value += conjugate_product<typename X::non_const_value_type>(x(at...), y(at...));
    }
};

} // namespace impl

/// Returns the sum of all cells of an array, on every rank.
///
/// float is added up in double, integers modulo 2^64. The result has the same bits on all ranks, and again whenever the
/// call is repeated with the same array and the same numbers of ranks and threads; other numbers round differently.
/// The sum over no cells is 0. If unstructured lists place an element on several processes, the element counts once for
/// each of them.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       one agreement, one MPI_Allgather of some 16 bytes a rank
/// Errors:     UsageError if the sections do not belong to comm's ranks, or differ in layout, type
///             or `cells` (thrown on all ranks)
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
SumType<typename View::non_const_value_type> sum(const Exec& exec, const Communicator& comm,
                                                 const View& view, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("sum");
    using Reduction = impl::SumReduction<typename View::view_type>;
    const auto total = impl::reduce<Reduction>(caller, comm, view, cells, [&] {
        return impl::reduce_section(caller, exec, view, cells, Reduction(view.view()));
    });
    return static_cast<SumType<typename View::non_const_value_type>>(total.value);
}

/// Same, with options; see ReductionOptions.
///
/// A reproducible sum of float, double or complex cells is the exact sum, rounded once; the real and imaginary parts of
/// complex cells are separate sums. A sum of zero is +0. NaN, or infinities of both signs, give NaN; infinities of one
/// sign give that infinity. Finite cells give an infinity only if their exact sum is beyond the largest double. Integer
/// sums are the same with and without `reproducible`.
///
/// Collective: over comm; all ranks pass sections of the same array, and equal options
/// Cost:       if reproducible, two agreements and one MPI_Allreduce of some 600 bytes, twice that for complex numbers;
///             no additional memory traffic (bench_reproducible_sum). On a device, a buffer is allocated
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
SumType<typename View::non_const_value_type>
sum(const Exec& exec, const Communicator& comm, const View& view, const ReductionOptions& options) {
    using T = typename View::non_const_value_type;
    if constexpr (impl::rounds_sums<T>) {
        static constexpr impl::Caller caller("sum(reproducible)");
        if (options.reproducible)
            return impl::rounded<T>(
                impl::exact_sums(caller, exec, comm, view, options.cells,
                                 impl::SumTerms<typename View::view_type>(view.view())));
    }
    return sum(exec, comm, view, options.cells);
}

/// Returns the sum of conj(x) * y over all cells, on every rank; for real x, conj(x) is x.
///
/// Everything else is as in sum(). For arrays with different element types, use transform_reduce() with a functor that
/// multiplies: products are then added up in the type of its result.
///
/// Collective: over comm; all ranks pass sections of the same two arrays
/// Shapes:     x and y have the same distribution and element type; see copy()
/// Cost:       that of sum()
/// Errors:     those of sum() and copy() (thrown on all ranks)
template <ExecutionSpace Exec, NumericDistView X, NumericDistView Y>
    requires(AccessibleFrom<X, Exec> && AccessibleFrom<Y, Exec> && X::rank() == Y::rank() &&
             std::same_as<typename X::non_const_value_type, typename Y::non_const_value_type>)
SumType<typename X::non_const_value_type> dot(const Exec& exec, const Communicator& comm,
                                              const X& x, const Y& y,
                                              Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("dot");
    using Reduction = impl::DotReduction<typename X::view_type, typename Y::view_type>;
    const auto compute = [&] {
        const auto shift = impl::shift_between(caller.name, x, y, cells);
        return impl::reduce_section(caller, exec, x, cells, Reduction(x.view(), {y.view(), shift}));
    };
    const auto total = impl::reduce<Reduction>(caller, comm, x, cells, compute, y);
    return static_cast<SumType<typename X::non_const_value_type>>(total.value);
}

/// Same, with options; see ReductionOptions.
///
/// In a reproducible scalar product the products are exact as well: neither products nor partial sums overflow,
/// underflow or are rounded. Infinity times zero is NaN. The real and imaginary parts of a complex result are separate
/// sums.
///
/// Collective: over comm; all ranks pass sections of the same two arrays, and equal options
/// Cost:       if reproducible, two agreements and one MPI_Allreduce of some 1100 bytes (600 for float), twice that for
///             complex numbers
template <ExecutionSpace Exec, NumericDistView X, NumericDistView Y>
    requires(AccessibleFrom<X, Exec> && AccessibleFrom<Y, Exec> && X::rank() == Y::rank() &&
             std::same_as<typename X::non_const_value_type, typename Y::non_const_value_type>)
SumType<typename X::non_const_value_type> dot(const Exec& exec, const Communicator& comm,
                                              const X& x, const Y& y,
                                              const ReductionOptions& options) {
    using T = typename X::non_const_value_type;
    if constexpr (impl::rounds_sums<T>) {
        static constexpr impl::Caller caller("dot(reproducible)");
        using Terms = impl::DotTerms<typename X::view_type, typename Y::view_type>;
        const Cells cells = options.cells;
        const auto compute = [&] {
            const auto shift = impl::shift_between("dot", x, y, cells);
            return impl::exact_section(caller, exec, x, cells, Terms(x.view(), {y.view(), shift}));
        };
        if (options.reproducible)
            return impl::rounded<T>(impl::exact_ranks<Terms>(caller, comm, x, cells, compute, y));
    }
    return dot(exec, comm, x, y, options.cells);
}

} // namespace distview
