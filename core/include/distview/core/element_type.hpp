// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace distview {

/// The meaning of an element's bits; values are DLPack's type codes.
enum class ElementKind : std::uint8_t {
    signed_integer = 0,
    unsigned_integer = 1,
    floating_point = 2,
    opaque = 3, ///< bytes that the library does not interpret
    bfloat = 4,
    complex = 5,
    boolean = 6
};

/// An element type at run time; ranks, languages and libraries that share an array must agree on it.
struct ElementType {
    ElementKind kind = ElementKind::opaque;
    std::int64_t bytes = 0;

    friend constexpr bool operator==(const ElementType&, const ElementType&) = default;
};

namespace impl {
template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};
template <class T>
struct IsComplex<Kokkos::complex<T>> : std::true_type {};

// If the compiler has no such type, Kokkos defines these names as float.
template <class T>
inline constexpr bool is_half = std::is_same_v<T, Kokkos::Experimental::half_t> && sizeof(T) == 2;
template <class T>
inline constexpr bool is_bhalf = std::is_same_v<T, Kokkos::Experimental::bhalf_t> && sizeof(T) == 2;

template <class T>
constexpr ElementKind element_kind() noexcept {
    if constexpr (std::is_same_v<T, bool>) return ElementKind::boolean;
    if constexpr (is_bhalf<T>) return ElementKind::bfloat;
    if constexpr (std::is_floating_point_v<T> || is_half<T>) return ElementKind::floating_point;
    if constexpr (IsComplex<T>::value) return ElementKind::complex;
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return ElementKind::signed_integer;
    if constexpr (std::is_integral_v<T>) return ElementKind::unsigned_integer;
    return ElementKind::opaque;
}
} // namespace impl

/// The element type of C++ type T, const or not. Types of the same kind and size give equal results: long and
/// long long, std::complex and Kokkos::complex.
template <class T>
constexpr ElementType element_type() noexcept {
    return {impl::element_kind<std::remove_cv_t<T>>(), static_cast<std::int64_t>(sizeof(T))};
}

/// "float64", "int32", "complex64" (in bits, as NumPy names them), "bool", "24 opaque bytes".
std::string describe(const ElementType& type);

/// NumPy's type string: "<f8", "|V8" for 8 opaque bytes; "<V2" and "<V4" for bfloat16 and complex of
/// halves, which NumPy lacks.
std::string typestr_of(const ElementType& type);
/// Parses NumPy's type string; empty for foreign byte orders and for types that are no plain numbers.
std::optional<ElementType> parse_typestr(std::string_view typestr);

} // namespace distview
