// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_sum.hpp>
#include <distview/algorithms/impl/numbers.hpp>
#include <distview/algorithms/operations.hpp>
#include <distview/core/element_type.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview::impl {

// An operation along an axis has
//   value_type          the type of its values; trivially copyable: it is sent as bytes
//   name                operation_name of the program's operation
//   take(element)       converts an element to a value
//   join(a, b)          joins two values, in the order of their cells
//   result<R>(value)    converts a value to an element of type R
//   neutral()           the value over no cells, if has_neutral
//   add(value, element) join(value, take(element)), if a cheaper way exists
// and, for scans,
//   start_type          the type of the start value that programs pass
//   begin(start)        converts the start value to a value

/// The operation of a program's function object, of Minimum or of Maximum: works with the elements' own type.
template <class Op, class T>
struct AxisOperation {
    using value_type = T;
    using start_type = T;
    static constexpr const char* name = operation_name<Op>;
    static constexpr bool has_neutral = false;
    Op op;

    value_type begin(const start_type& start) const { return start; }
    KOKKOS_FORCEINLINE_FUNCTION value_type take(const T& element) const { return element; }
    KOKKOS_FORCEINLINE_FUNCTION value_type join(const value_type& a, const value_type& b) const {
        return static_cast<T>(op(a, b));
    }
    template <class Result>
    KOKKOS_FORCEINLINE_FUNCTION static Result result(const value_type& value) {
        return static_cast<Result>(value);
    }
};

/// Element types whose sums and products have wider types.
template <class T>
concept Widened = Number<T> || std::same_as<T, bool> || is_half<T> || is_bhalf<T>;

/// The types of sums and products, as in sum(). Sums of bool count, as in NumPy; half precision becomes double.
template <class T>
struct WideTypes {
    using result = double;
    using accumulator = double;
};
template <Number T>
struct WideTypes<T> {
    using result = SumType<T>;
    using accumulator = Accumulator<T>;
};
template <>
struct WideTypes<bool> {
    using result = std::int64_t;
    using accumulator = std::uint64_t;
};

/// Works with accumulators as sum() does: double, 64 bits, or the complex type of double.
template <Widened T>
struct WideOperation {
    using value_type = typename WideTypes<T>::accumulator;
    using start_type = typename WideTypes<T>::result;
    static constexpr bool has_neutral = true;

    static value_type begin(const start_type& start) { return static_cast<value_type>(start); }
    KOKKOS_FORCEINLINE_FUNCTION static value_type take(const T& element) {
        if constexpr (Number<T>)
            return to_accumulator(element);
        else
            return static_cast<value_type>(element);
    }
    template <class Result>
    KOKKOS_FORCEINLINE_FUNCTION static Result result(const value_type& value) {
        return static_cast<Result>(static_cast<start_type>(value));
    }
};
template <Widened T>
struct AxisOperation<Sum, T> : WideOperation<T> {
    using value_type = typename WideOperation<T>::value_type;
    static constexpr const char* name = operation_name<Sum>;
    AxisOperation() = default;
    explicit AxisOperation(Sum) {}
    KOKKOS_FORCEINLINE_FUNCTION static value_type join(const value_type& a, const value_type& b) {
        return a + b;
    }
    KOKKOS_FUNCTION static value_type neutral() { return value_type(0); }
};
template <Widened T>
struct AxisOperation<Product, T> : WideOperation<T> {
    using value_type = typename WideOperation<T>::value_type;
    static constexpr const char* name = operation_name<Product>;
    AxisOperation() = default;
    explicit AxisOperation(Product) {}
    KOKKOS_FORCEINLINE_FUNCTION static value_type join(const value_type& a, const value_type& b) {
        return a * b;
    }
    KOKKOS_FUNCTION static value_type neutral() { return value_type(1); }
};

/// The type to which exact sums are rounded, once: float if results consist of floats, else double.
template <class Result>
using RoundedPart =
    std::conditional_t<std::same_as<Result, float> || std::same_as<Result, std::complex<float>> ||
                           std::same_as<Result, Kokkos::complex<float>>,
                       float, double>;

/// The exact sum, which does not depend on order, places or chunks. It is rounded on the host: rounded<R>(value)
/// returns it for elements of type R.
template <Number T>
struct ExactOperation {
    using value_type = ExactSum<false>;
    static constexpr const char* name = operation_name<Sum>;
    static constexpr bool has_neutral = true;

    KOKKOS_FUNCTION static value_type take(const T& element) {
        value_type value = neutral();
        add(value, element);
        return value;
    }
    KOKKOS_FUNCTION static void add(value_type& value, const T& element) {
        value.add(static_cast<double>(element));
    }
    KOKKOS_FUNCTION static value_type join(const value_type& a, const value_type& b) {
        value_type value = a;
        value.add(b);
        return value;
    }
    template <class Result>
    static RoundedPart<Result> rounded(const value_type& value) {
        return value.rounded<RoundedPart<Result>>();
    }
    template <class Result>
    static Result result(const value_type& value) {
        return static_cast<Result>(rounded<Result>(value));
    }
    KOKKOS_FUNCTION static value_type neutral() {
        value_type value;
        value.clear();
        return value;
    }
};
/// Sums the parts of complex numbers separately.
template <Number T>
    requires is_complex<T>
struct ExactOperation<T> {
    using Part = ExactOperation<typename T::value_type>;
    struct value_type {
        typename Part::value_type real;
        typename Part::value_type imag;
    };
    static constexpr const char* name = operation_name<Sum>;
    static constexpr bool has_neutral = true;

    KOKKOS_FUNCTION static value_type take(const T& element) {
        return {Part::take(element.real()), Part::take(element.imag())};
    }
    KOKKOS_FUNCTION static void add(value_type& value, const T& element) {
        Part::add(value.real, element.real());
        Part::add(value.imag, element.imag());
    }
    KOKKOS_FUNCTION static value_type join(const value_type& a, const value_type& b) {
        return {Part::join(a.real, b.real), Part::join(a.imag, b.imag)};
    }
    template <class Result>
    static auto rounded(const value_type& value) {
        using Complex = std::conditional_t<is_complex<Result>, Result, SumType<T>>;
        return Complex(Part::template rounded<Result>(value.real),
                       Part::template rounded<Result>(value.imag));
    }
    template <class Result>
    static Result result(const value_type& value) {
        return static_cast<Result>(rounded<Result>(value));
    }
    KOKKOS_FUNCTION static value_type neutral() { return {Part::neutral(), Part::neutral()}; }
};
/// Sums of integers are exact anyway.
template <Number T>
    requires std::integral<T>
struct ExactOperation<T> : AxisOperation<Sum, T> {};

template <class Operation, class T>
KOKKOS_FORCEINLINE_FUNCTION void
add_element(const Operation& operation, typename Operation::value_type& value, const T& element) {
    if constexpr (requires { operation.add(value, element); })
        operation.add(value, element);
    else
        value = operation.join(value, operation.take(element));
}

template <class Operation>
struct TakeResult {
    template <class Result>
    struct As {
        KOKKOS_FORCEINLINE_FUNCTION Result
        operator()(const typename Operation::value_type& value) const {
            return Operation::template result<Result>(value);
        }
    };
};

template <class Result>
struct CastTo {
    template <class T>
    KOKKOS_FORCEINLINE_FUNCTION Result operator()(const T& value) const {
        return static_cast<Result>(value);
    }
};

/// No conversion: returns the element itself.
struct AsIs {
    template <class T>
    KOKKOS_FORCEINLINE_FUNCTION const T& operator()(const T& value) const {
        return value;
    }
};

} // namespace distview::impl
