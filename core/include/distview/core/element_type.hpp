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

/// What the bits of an element mean; values are DLPack's type codes.
enum class ElementKind : std::uint8_t {
    signed_integer = 0,
    unsigned_integer = 1,
    floating_point = 2,
    opaque = 3, ///< bytes that nobody here interprets
    bfloat = 4,
    complex = 5,
    boolean = 6
};

/// An element type known at run time: what ranks, languages and libraries must agree on.
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

// Where the compiler has no such type, Kokkos makes these names of float.
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

/// The element type of C++ type T, const or not. Types of one kind and size are the same: long and
/// long long, std::complex and Kokkos::complex.
template <class T>
constexpr ElementType element_type() noexcept {
    return {impl::element_kind<std::remove_cv_t<T>>(), static_cast<std::int64_t>(sizeof(T))};
}

/// "float64", "int32", "complex64" (in bits, as NumPy names them), "bool", "24 opaque bytes".
std::string describe(const ElementType& type);

/// NumPy's type string: "<f8", "|V8" for 8 opaque bytes; "<V2" and "<V4" for the numbers that NumPy
/// lacks, bfloat16 and complex of halves.
std::string typestr_of(const ElementType& type);
/// Empty for foreign byte orders and for what is no plain number.
std::optional<ElementType> parse_typestr(std::string_view typestr);

} // namespace distview
