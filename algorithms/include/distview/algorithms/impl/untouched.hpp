// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/numbers.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview::impl {

// A copy whose old elements are not needed is filled with signalling NaNs of a certain bit pattern. Arithmetic never
// gives signalling NaNs: an element that still has these bits has not been written. Integers have no such value.

template <class T>
struct Untouched {
    static constexpr bool can_be_told = false;
};
template <>
struct Untouched<double> {
    static constexpr bool can_be_told = true;
    static constexpr std::uint64_t bits = 0x7FF4'D157'71E0'5EEDu;
};
template <>
struct Untouched<float> {
    static constexpr bool can_be_told = true;
    static constexpr std::uint32_t bits = 0x7FA0'5EEDu;
};
template <class T>
    requires is_complex<T>
struct Untouched<T> : Untouched<typename T::value_type> {};

/// Whether unwritten elements of type T can be recognised.
template <class T>
inline constexpr bool can_tell_untouched = Untouched<T>::can_be_told;

template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION bool is_untouched(T value) {
    using Bits = std::remove_const_t<decltype(Untouched<T>::bits)>;
    return Kokkos::bit_cast<Bits>(value) == Untouched<T>::bits;
}

/// The value of an element before it is written.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T untouched_value() {
    if constexpr (is_complex<T>) {
        const auto part = untouched_value<typename T::value_type>();
        return T(part, part);
    } else {
        constexpr auto bits = Untouched<T>::bits; // a device has references only to its own objects
        return Kokkos::bit_cast<T>(bits);
    }
}

/// Whether an element, or a part of a complex one, has been written.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_touched(const T& value) {
    if constexpr (is_complex<T>)
        return !is_untouched(value.real()) || !is_untouched(value.imag());
    else
        return !is_untouched(value);
}

/// The new value of an element: the incoming value if it was written, else the present one.
struct KeepUntouched {
    template <class T>
    KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& here, const T& incoming) const {
        if constexpr (is_complex<T>)
            return T(is_untouched(incoming.real()) ? here.real() : incoming.real(),
                     is_untouched(incoming.imag()) ? here.imag() : incoming.imag());
        else
            return is_untouched(incoming) ? here : incoming;
    }
};

} // namespace distview::impl
