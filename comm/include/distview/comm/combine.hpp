// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace distview {

// Operations for combine() of every plan that has it, and for accumulate_elements(). A program's own operation is any
// function object T(T here, T incoming) that can be copied to the execution space.

struct Sum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(here + incoming);
    }
};

/// The smaller one; NaN if one is, as min() gives.
struct Minimum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return incoming < here || incoming != incoming ? incoming : here;
    }
};

/// The larger one; NaN if one is, as max() gives.
struct Maximum {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return here < incoming || incoming != incoming ? incoming : here;
    }
};

/// The incoming value: of several the last one, in the order in which a plan combines them.
struct Replace {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return incoming;
    }
};

} // namespace distview
