// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "guard.hpp"

#include <distview/core/element_type.hpp>

#include <Kokkos_Complex.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview::c {

template <class T>
struct OfType {
    using type = T;
};

/// Calls use(OfType<T>()) for an element's type if it is a real number type; otherwise returns false.
template <class Use>
bool with_real(const ElementType& element, Use&& use) {
    const auto is = [&]<class T>(OfType<T> type) {
        if (!(element == element_type<T>())) return false;
        use(type);
        return true;
    };
    return is(OfType<double>()) || is(OfType<float>()) || is(OfType<std::int32_t>()) ||
           is(OfType<std::int64_t>()) || is(OfType<std::int8_t>()) || is(OfType<std::int16_t>()) ||
           is(OfType<std::uint8_t>()) || is(OfType<std::uint16_t>()) ||
           is(OfType<std::uint32_t>()) || is(OfType<std::uint64_t>());
}

template <class Use>
bool with_complex(const ElementType& element, Use&& use) {
    const auto is = [&]<class T>(OfType<T> type) {
        if (!(element == element_type<T>())) return false;
        use(type);
        return true;
    };
    return is(OfType<Kokkos::complex<double>>()) || is(OfType<Kokkos::complex<float>>());
}

/// Throws ShapeError for elements that are not of the expected kinds.
[[noreturn]] void throw_element(const char* function, const char* expected,
                                const ElementType& element);

/// Calls use(OfType<T>()) for real and complex numbers.
template <class Use>
void with_number(const ElementType& element, const char* function, Use&& use) {
    if (!with_real(element, use) && !with_complex(element, use))
        throw_element(function, "integers, real or complex numbers", element);
}

} // namespace distview::c
