// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reductions.hpp"

#include <distview/algorithms/sum.hpp>

using namespace distview::c;

int distview_sum(const distview_array* array, const distview_reduction_options* options,
                 distview_value* result) {
    return guard(__func__, [&](const char* function) {
        const distview::CollectiveCall call(checked(array, function, "an array").comm, function);
        const Reduction run = begin_reduction({array}, options, function, [&] {
            checked(result, function, "a place for the result");
            check_reduced(*array, function, true);
        });
        const Added added = added_for(*array);
        with_reduced(*array, added, function, true, [&](const auto& cells) {
            *result = value_of(distview::sum(run.exec, array->comm, cells, run.options));
        });
    });
}
