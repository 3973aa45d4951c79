// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "reduced_array.hpp"
#include "together.hpp"

#include <distview/c/algorithms.h>

#include <distview/algorithms/reduction_options.hpp>

#include <Kokkos_Complex.hpp>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace distview::c {

inline ReductionOptions options_of(const distview_reduction_options* options,
                                   const char* function) {
    if (!options) return {};
    require<UsageError>(
        options->cells == DISTVIEW_INTERIOR || options->cells == DISTVIEW_OWNED, [&] {
            return text(function, ": expected interior (0) or owned cells (1), got ",
                        options->cells);
        });
    return {options->cells == DISTVIEW_OWNED ? Cells::owned : Cells::interior,
            options->reproducible != 0};
}

template <class T>
distview_value value_of(const T& result) {
    distview_value value{};
    if constexpr (std::is_arithmetic_v<T>) {
        value.real = static_cast<double>(result);
        if constexpr (std::is_integral_v<T>) value.integer = static_cast<std::int64_t>(result);
    } else {
        value.real = static_cast<double>(result.real());
        value.imaginary = static_cast<double>(result.imag());
    }
    return value;
}

/// A reduction of an array: its arguments, checked by all ranks together, and its execution space.
struct Reduction {
    const distview_array& array;
    ReductionOptions options;
    Exec exec;
};

/// Checks the arguments on all ranks, also by `check`. If the first array is null, the error stays on this rank. `order`
/// is the order of a norm.
template <class Check>
Reduction begin_reduction(std::initializer_list<const distview_array*> arrays,
                          const distview_reduction_options* options, const char* function,
                          Check&& check, int order = 0) {
    const distview_array& reduced = checked(*arrays.begin(), function, "an array");
    const distview_reduction_options given = options ? *options : distview_reduction_options{};
    return together(
        reduced.comm, function,
        [&] {
            check();
            for (const distview_array* array : arrays) check_elements(*array, function);
            return Reduction{reduced, options_of(options, function), host_for_kernels(function)};
        },
        {{"cells", given.cells},
         {"reproducible", given.reproducible != 0},
         {"order of the array in memory",
          reduced.column_major ? DISTVIEW_COLUMN_MAJOR : DISTVIEW_ROW_MAJOR},
         {"order", order}},
        arrays);
}

} // namespace distview::c
