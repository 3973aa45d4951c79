// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/exact_reduction.hpp>
#include <distview/algorithms/impl/numbers.hpp>

#include <concepts>

namespace distview::impl {

// Terms that the cells add to reproducible sums, scalar products and norms; see exact_reduction.hpp. The parts of
// complex numbers have separate sums.

/// Element types whose reproducible sums differ from ordinary ones: sums of integers are exact anyway.
template <class T>
inline constexpr bool rounds_sums = std::floating_point<T> || is_complex<T>;

/// Whether products of two elements, or of two parts, are exact as doubles: true for float.
template <class T>
inline constexpr bool has_exact_products = std::same_as<T, float>;
template <template <class> class Complex, class T>
inline constexpr bool has_exact_products<Complex<T>> = std::same_as<T, float>;

template <class Element, int Sums, int Streams, bool Wide>
struct TermShape {
    static constexpr int sums = Sums;
    static constexpr int streams = Streams;
    static constexpr bool wide = Wide;
    /// Whether the elements themselves are the terms, or the factors of the terms.
    static constexpr bool direct = std::same_as<Element, double>;
    KOKKOS_FUNCTION static constexpr int sum_of(int stream) { return stream * Sums / Streams; }

    /// Adds x * y, as one number if that is exact.
    template <int Stream, class Slot>
    KOKKOS_FORCEINLINE_FUNCTION static void multiply(Slot& slot, double x, double y) {
        if constexpr (Wide)
            slot.template product<Stream>(x, y);
        else
            slot.template number<Stream>(x * y);
    }
};

template <class T>
inline constexpr int parts_of_number = is_complex<T> ? 2 : 1;

template <ViewLike View, class T = typename View::non_const_value_type>
struct SumTerms : TermShape<T, parts_of_number<T>, parts_of_number<T>, false> {
    explicit SumTerms(const View& summands) : view(summands) {}
    View view;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const T value = view(at...);
        if constexpr (is_complex<T>) {
            slot.template number<0>(static_cast<double>(value.real()));
            slot.template number<1>(static_cast<double>(value.imag()));
        } else {
            slot.template number<0>(static_cast<double>(value));
        }
    }
    template <class... Indices>
    KOKKOS_FUNCTION void locate(NumberRow& row, Indices... at) const {
        row.x = &view(at...);
    }
};

/// conj(x) * y
template <ViewLike X, ViewLike Y, class T = typename X::non_const_value_type>
struct DotTerms : TermShape<T, parts_of_number<T>, is_complex<T> ? 4 : 1, !has_exact_products<T>> {
    using Shape = TermShape<T, parts_of_number<T>, is_complex<T> ? 4 : 1, !has_exact_products<T>>;
    DotTerms(const X& first, const ShiftedView<Y>& second) : x(first), y(second) {}
    X x;
    ShiftedView<Y> y;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const Accumulator<T> a = to_accumulator(T(x(at...)));
        const Accumulator<T> b = to_accumulator(T(y(at...)));
        if constexpr (is_complex<T>) {
            Shape::template multiply<0>(slot, a.real(), b.real());
            Shape::template multiply<1>(slot, a.imag(), b.imag());
            Shape::template multiply<2>(slot, a.real(), b.imag());
            Shape::template multiply<3>(slot, -a.imag(), b.real());
        } else {
            Shape::template multiply<0>(slot, a, b);
        }
    }
    template <class... Indices>
    KOKKOS_FUNCTION void locate(NumberRow& row, Indices... at) const {
        row.x = &x(at...);
        row.y = &y(at...);
    }
};

/// Absolute values; for complex numbers each one is rounded.
template <ViewLike View, class T = typename View::non_const_value_type>
struct MagnitudeTerms : TermShape<T, 1, 1, false> {
    explicit MagnitudeTerms(const View& elements) : view(elements) {}
    static constexpr bool direct = false;
    View view;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        slot.template number<0>(magnitude<T>(view(at...)));
    }
};

/// Squared absolute values, in one sum.
template <ViewLike View, class T = typename View::non_const_value_type>
struct SquareTerms : TermShape<T, 1, parts_of_number<T>, !has_exact_products<T>> {
    using Shape = TermShape<T, 1, parts_of_number<T>, !has_exact_products<T>>;
    explicit SquareTerms(const View& elements) : view(elements) {}
    View view;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const T value = view(at...);
        if constexpr (is_complex<T>) {
            const auto re = static_cast<double>(value.real());
            const auto im = static_cast<double>(value.imag());
            Shape::template multiply<0>(slot, re, re);
            Shape::template multiply<1>(slot, im, im);
        } else {
            const auto number = static_cast<double>(value);
            Shape::template multiply<0>(slot, number, number);
        }
    }
    template <class... Indices>
    KOKKOS_FUNCTION void locate(NumberRow& row, Indices... at) const {
        row.x = row.y = &view(at...);
    }
};

/// The sums of `terms` over the cells of all ranks.
template <ExecutionSpace Exec, DistViewLike View, class Terms>
ExactSums<Terms> exact_sums(const Caller& caller, const Exec& exec, const Communicator& comm,
                            const View& view, Cells cells, const Terms& terms) {
    return exact_ranks<Terms>(caller, comm, view, cells,
                              [&] { return exact_section(caller, exec, view, cells, terms); });
}

/// Exact sums, rounded to the sum type of an element type.
template <class T, class Terms>
SumType<T> rounded(const ExactSums<Terms>& all) {
    if constexpr (is_complex<T>)
        return {all.sums[0].rounded(), all.sums[1].rounded()};
    else
        return all.sums[0].rounded();
}

} // namespace distview::impl
