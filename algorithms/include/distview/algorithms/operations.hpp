// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace distview {

/// Multiplies two elements: for axis_reduce(), scans and GridAxis, like Sum, Minimum and Maximum.
struct Product {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(here * incoming);
    }
};

namespace impl {
template <>
inline constexpr const char* operation_name<Product> = "Product";
} // namespace impl

/// A function object T(T here, T incoming). The caller guarantees that it is associative.
template <class Op, class T>
concept JoinsElements = std::is_invocable_r_v<T, const Op&, const T&, const T&>;

} // namespace distview
