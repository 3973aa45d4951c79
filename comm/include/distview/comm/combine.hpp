// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace distview {

// Operations for the plans' combine() and for accumulate_elements(). A program may pass any function object
// T(T here, T incoming) of its own that can be copied to the execution space.

struct Sum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(here + incoming);
    }
};

/// The smaller value; NaN if either is NaN, like the algorithm min().
struct Minimum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return incoming < here || incoming != incoming ? incoming : here;
    }
};

/// The larger value; NaN if either is NaN, like the algorithm max().
struct Maximum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return here < incoming || incoming != incoming ? incoming : here;
    }
};

/// The incoming value; if several arrive, the last one in the plan's order of combining.
struct Replace {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return incoming;
    }
};

namespace impl {

/// Name of an operation in errors, by which ranks compare it. Function objects of a program are not told apart.
template <class Op>
inline constexpr const char* operation_name = "a function object of the program";
template <>
inline constexpr const char* operation_name<Sum> = "Sum";
template <>
inline constexpr const char* operation_name<Minimum> = "Minimum";
template <>
inline constexpr const char* operation_name<Maximum> = "Maximum";
template <>
inline constexpr const char* operation_name<Replace> = "Replace";

} // namespace impl

} // namespace distview
