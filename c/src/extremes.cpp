// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reductions.hpp"

#include <distview/algorithms/min_max.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

using namespace distview::c;

namespace {

/// Selects the program's axes from an array's max_rank indices.
template <class Array, class Index>
void give_index(const distview_array& array, const Index& index, std::int64_t* result) {
    const auto rank = static_cast<std::size_t>(array.view.rank());
    constexpr bool are_last = std::is_same_v<typename Array::array_layout, Kokkos::LayoutRight>;
    const std::size_t first = are_last ? index.size() - rank : 0;
    for (std::size_t d = 0; d < rank; ++d) result[d] = index[first + d].value();
}

template <bool Greatest>
void find(const distview_array* array, const distview_reduction_options* options,
          distview_value* result, std::int64_t* index, const char* function) {
    const distview::CollectiveCall call(checked(array, function, "an array").comm, function);
    const Reduction run = begin_reduction({array}, options, function, [&] {
        checked(result, function, "a place for the result");
        check_reduced(*array, function, false);
    });
    const Added added = added_for(*array);
    with_reduced(*array, added, function, false, [&]<class Array>(const Array& cells) {
        if constexpr (distview::OrderedDistView<Array>) {
            // Some ranks may pass no index: all ranks search for the place, since that is collective.
            const auto found = [&] {
                if constexpr (Greatest)
                    return distview::max_location(run.exec, array->comm, cells, run.options.cells);
                else
                    return distview::min_location(run.exec, array->comm, cells, run.options.cells);
            }();
            *result = value_of(found.value);
            if (index) give_index<Array>(*array, found.index, index);
        }
    });
}

} // namespace

int distview_min(const distview_array* array, const distview_reduction_options* options,
                 distview_value* result, int64_t* index) {
    return guard(__func__, [&](const char* function) {
        find<false>(array, options, result, index, function);
    });
}

int distview_max(const distview_array* array, const distview_reduction_options* options,
                 distview_value* result, int64_t* index) {
    return guard(__func__, [&](const char* function) {
        find<true>(array, options, result, index, function);
    });
}
