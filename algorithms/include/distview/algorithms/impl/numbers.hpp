// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview {

namespace impl {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> =
    std::same_as<T, float> || std::same_as<T, double>;
template <class T>
inline constexpr bool is_complex<Kokkos::complex<T>> =
    std::same_as<T, float> || std::same_as<T, double>;

} // namespace impl

/// Element types with an order: integers, float and double.
template <class T>
concept RealNumber = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, float> ||
                     std::same_as<T, double>;

/// Element types that can be added up.
template <class T>
concept Number = RealNumber<T> || impl::is_complex<T>;

namespace impl {

template <class T>
struct SumTypeOf {
    using type = std::conditional_t<
        std::floating_point<T>, double,
        std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>;
};
template <template <class> class Complex, class T>
struct SumTypeOf<Complex<T>> {
    using type = Complex<double>;
};

} // namespace impl

/// The type that sum() and dot() return for elements of type T: double, std::int64_t or std::uint64_t, or the complex
/// type of double.
template <Number T>
using SumType = typename impl::SumTypeOf<T>::type;

namespace impl {

/// The type that is added up. Integers are added modulo 2^64: signed ones would be undefined on overflow.
template <Number T>
using Accumulator = std::conditional_t<std::integral<SumType<T>>, std::uint64_t, SumType<T>>;

template <Number T>
KOKKOS_FORCEINLINE_FUNCTION Accumulator<T> to_accumulator(const T& value) {
    if constexpr (is_complex<T>)
        return Accumulator<T>(value.real(), value.imag());
    else
        return static_cast<Accumulator<T>>(value);
}

/// conj(x) * y
template <Number T>
KOKKOS_FORCEINLINE_FUNCTION Accumulator<T> conjugate_product(const T& x, const T& y) {
    const Accumulator<T> a = to_accumulator(x);
    const Accumulator<T> b = to_accumulator(y);
    if constexpr (is_complex<T>)
        return {a.real() * b.real() + a.imag() * b.imag(),
                a.real() * b.imag() - a.imag() * b.real()};
    else
        return a * b;
}

template <Number T>
KOKKOS_FORCEINLINE_FUNCTION double magnitude(const T& value) {
    if constexpr (is_complex<T>)
        return Kokkos::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    else
        return Kokkos::abs(static_cast<double>(value));
}

template <Number T>
KOKKOS_FORCEINLINE_FUNCTION double squared_magnitude(const T& value, double factor) {
    if constexpr (is_complex<T>) {
        const double re = factor * static_cast<double>(value.real());
        const double im = factor * static_cast<double>(value.imag());
        return re * re + im * im;
    } else {
        const double scaled = factor * static_cast<double>(value);
        return scaled * scaled;
    }
}

template <RealNumber T>
KOKKOS_FORCEINLINE_FUNCTION bool is_nan(T value) {
    if constexpr (std::floating_point<T>)
        return value != value;
    else
        return false;
}

} // namespace impl

} // namespace distview
