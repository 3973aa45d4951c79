// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace compare {

namespace {

using distview::ElementKind;
using distview::ElementType;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 16-bit floating-point numbers, which not every compiler supports, with `exponent_bits` bits for the exponent.
template <int exponent_bits>
struct Small {
    std::uint16_t bits = 0;

    float value() const {
        if constexpr (exponent_bits == 8) return std::bit_cast<float>(std::uint32_t{bits} << 16);
        const int exponent = (bits >> 10) & 31;
        const int fraction = bits & 1023;
        const float sign = (bits >> 15) == 1 ? -1.0F : 1.0F;
        if (exponent == 31)
            return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN();
        if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
        return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    }
};
using Half = Small<5>;
using Bfloat = Small<8>;
struct Bytes {}; ///< bytes that are not a number

template <class T>
constexpr bool is_small = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::array<T, 2>> = true;

template <class T>
auto value_of(const T& element) {
    if constexpr (is_small<T>)
        return static_cast<double>(element.value());
    else if constexpr (std::is_same_v<T, float>)
        return static_cast<double>(element); // then differences are exact
    else
        return element;
}

/// The distance between two numbers.
struct Distance {
    double absolute = 0;
    double relative = 0;
    bool not_a_number = false; ///< only one of them is NaN
};

template <class T>
Distance real_distance(T a, T b) {
    if (a == b) return {};
    if constexpr (std::is_integral_v<T>) {
        // The difference of two 64-bit integers may exceed the signed type; the unsigned type holds larger - smaller.
        using U = std::make_unsigned_t<T>;
        const T larger = std::max(a, b);
        const T smaller = std::min(a, b);
        const auto difference =
            static_cast<double>(static_cast<U>(static_cast<U>(larger) - static_cast<U>(smaller)));
        const double scale =
            std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
        return {difference, difference / scale};
    } else {
        if (std::isnan(a) && std::isnan(b)) return {};
        if (std::isnan(a) || std::isnan(b)) return {0, 0, true};
        const T scale = std::max(std::abs(a), std::abs(b));
        if (std::isinf(scale)) return {infinity, infinity};
        const T difference = std::abs(a - b);
        const T relative =
            std::isinf(difference) ? std::abs(a / 2 - b / 2) / scale * 2 : difference / scale;
        // The difference of two small 80-bit numbers may be too small for float64.
        return {
            std::max(static_cast<double>(difference), std::numeric_limits<double>::denorm_min()),
            static_cast<double>(relative)};
    }
}

template <class T>
Distance complex_distance(const std::array<T, 2>& a, const std::array<T, 2>& b) {
    const auto a0 = value_of(a[0]), a1 = value_of(a[1]), b0 = value_of(b[0]), b1 = value_of(b[1]);
    const Distance real = real_distance(a0, b0);
    const Distance imaginary = real_distance(a1, b1);
    if (real.not_a_number || imaginary.not_a_number) return {0, 0, true};
    const double absolute = std::hypot(real.absolute, imaginary.absolute);
    if (absolute == 0) return {};
    // Relative to an infinite part, the difference of the other parts would be small.
    if (!std::isfinite(a0) || !std::isfinite(a1) || !std::isfinite(b0) || !std::isfinite(b1))
        return {absolute, std::max(real.relative, imaginary.relative)};
    using Real = std::remove_const_t<decltype(a0)>;
    // Without the factor, magnitudes of the largest numbers would be infinite.
    const Real largest = std::max({std::abs(a0), std::abs(a1), std::abs(b0), std::abs(b1)});
    const Real factor = largest > 1 ? Real(0.25) : Real(1);
    const Real scale =
        std::max(std::hypot(a0 * factor, a1 * factor), std::hypot(b0 * factor, b1 * factor));
    const Real difference = std::hypot(a0 * factor - b0 * factor, a1 * factor - b1 * factor);
    return {absolute, static_cast<double>(difference / scale)};
}

template <class T>
Distance distance(const T& a, const T& b) {
    if constexpr (is_complex<T>)
        return complex_distance(a, b);
    else
        return real_distance(value_of(a), value_of(b));
}

/// Compares the bytes that belong to numbers: a number of 80 bits in 16 bytes leaves the other bytes undefined.
template <class T>
bool have_same_bits(const T& a, const T& b) {
    if constexpr (is_complex<T>) {
        return have_same_bits(a[0], b[0]) && have_same_bits(a[1], b[1]);
    } else {
        constexpr bool is_x87 = std::is_same_v<T, long double> && LDBL_MANT_DIG == 64;
        return std::memcmp(&a, &b, is_x87 ? 10 : sizeof(T)) == 0;
    }
}

template <class T>
T load(const std::byte* from) {
    T element{};
    std::memcpy(&element, from, sizeof(T));
    return element;
}

bool are_near(const Distance& distance, const Tolerance& tolerance) {
    return !distance.not_a_number &&
           (distance.absolute <= tolerance.absolute ||
            // A relative distance that underflows is 0, which must not pass a tolerance of 0.
            (tolerance.relative > 0 && distance.relative <= tolerance.relative));
}

template <class T>
Differences compare_numbers(const std::byte* a, const std::byte* b, std::int64_t count,
                            const Tolerance& tolerance) {
    Differences found;
    found.elements = count;
    for (std::int64_t i = 0; i < count; ++i, a += sizeof(T), b += sizeof(T)) {
        // Most pairs are equal bit by bit.
        if (std::memcmp(a, b, sizeof(T)) == 0) continue;
        const T x = load<T>(a);
        const T y = load<T>(b);
        const Distance apart = distance(x, y);
        found.absolute = std::max(found.absolute, apart.absolute);
        found.relative = std::max(found.relative, apart.relative);
        if (tolerance.bits ? have_same_bits(x, y) : are_near(apart, tolerance)) continue;
        ++found.count;
        found.not_a_number += apart.not_a_number;
        if (found.first < 0) found.first = i;
    }
    return found;
}

Differences compare_bytes(const std::byte* a, const std::byte* b, std::int64_t count,
                          std::int64_t bytes) {
    Differences found;
    found.elements = count;
    for (std::int64_t i = 0; i < count; ++i, a += bytes, b += bytes) {
        if (std::memcmp(a, b, static_cast<std::size_t>(bytes)) == 0) continue;
        ++found.count;
        if (found.first < 0) found.first = i;
    }
    return found;
}

/// Calls visit(T()) with the C++ type of a floating-point number, or of Bytes.
template <class Visit>
auto with_float(std::int64_t bytes, const Visit& visit) {
    switch (bytes) {
    case 2: return visit(Half());
    case 4: return visit(float());
    case 8: return visit(double());
    default: break;
    }
    if (bytes == static_cast<std::int64_t>(sizeof(long double))) {
        using Long = long double;
        return visit(Long());
    }
    return visit(Bytes());
}

template <class Visit>
auto with_type(const ElementType& type, const Visit& visit) {
    const bool is_signed = type.kind == ElementKind::signed_integer;
    switch (type.kind) {
    case ElementKind::floating_point: return with_float(type.bytes, visit);
    case ElementKind::bfloat: return visit(Bfloat());
    case ElementKind::complex:
        return with_float(type.bytes / 2, [&](auto part) {
            if constexpr (std::is_same_v<decltype(part), Bytes>)
                return visit(Bytes());
            else
                return visit(std::array<decltype(part), 2>());
        });
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer:
        switch (type.bytes) {
        case 1: return is_signed ? visit(std::int8_t()) : visit(std::uint8_t());
        case 2: return is_signed ? visit(std::int16_t()) : visit(std::uint16_t());
        case 4: return is_signed ? visit(std::int32_t()) : visit(std::uint32_t());
        case 8: return is_signed ? visit(std::int64_t()) : visit(std::uint64_t());
        default: return visit(Bytes());
        }
    case ElementKind::boolean: return visit(std::uint8_t());
    case ElementKind::opaque: break;
    }
    return visit(Bytes());
}

template <class T>
std::string text_of(const T& element) {
    std::array<char, 64> buffer{};
    if constexpr (std::is_integral_v<T>)
        return std::to_string(element);
    else if constexpr (std::is_same_v<T, long double>)
        std::snprintf(buffer.data(), buffer.size(), "%.*Lg",
                      std::numeric_limits<long double>::max_digits10, element);
    else
        std::snprintf(buffer.data(), buffer.size(), "%.*g", std::is_same_v<T, double> ? 17 : 9,
                      static_cast<double>(value_of(element)));
    return buffer.data();
}

} // namespace

void Differences::add(const Differences& others) {
    elements += others.elements;
    count += others.count;
    not_a_number += others.not_a_number;
    absolute = std::max(absolute, others.absolute);
    relative = std::max(relative, others.relative);
}

Differences compare_elements(const ElementType& type, const std::byte* a, const std::byte* b,
                             std::int64_t count, const Tolerance& tolerance) {
    return with_type(type, [&](auto element) {
        using T = decltype(element);
        if constexpr (std::is_same_v<T, Bytes>)
            return compare_bytes(a, b, count, type.bytes);
        else
            return compare_numbers<T>(a, b, count, tolerance);
    });
}

bool are_same(double a, double b, const Tolerance& tolerance) {
    return tolerance.bits ? have_same_bits(a, b) : are_near(distance(a, b), tolerance);
}

std::string element_text(const ElementType& type, const std::byte* element) {
    return with_type(type, [&](auto known) -> std::string {
        using T = decltype(known);
        if constexpr (std::is_same_v<T, Bytes>) {
            std::string all = "0x";
            for (std::int64_t i = 0; i < std::min<std::int64_t>(type.bytes, 16); ++i) {
                std::array<char, 3> digits{};
                std::snprintf(digits.data(), digits.size(), "%02x",
                              std::to_integer<unsigned>(element[i]));
                all += digits.data();
            }
            return type.bytes > 16 ? all + "..." : all;
        } else if constexpr (is_complex<T>) {
            const T value = load<T>(element);
            return '(' + text_of(value[0]) + ", " + text_of(value[1]) + ')';
        } else {
            return text_of(load<T>(element));
        }
    });
}

bool is_number(const ElementType& type) {
    return with_type(type, [](auto known) { return !std::is_same_v<decltype(known), Bytes>; });
}

} // namespace compare
