// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reductions.hpp"

#include <distview/algorithms/norm.hpp>

using namespace distview::c;

int distview_norm(const distview_array* array, int order, const distview_reduction_options* options,
                  double* result) {
    return guard(__func__, [&](const char* function) {
        const distview::CollectiveCall call(checked(array, function, "an array").comm, function);
        const auto check = [&] {
            checked(result, function, "a place for the result");
            distview::require<distview::UsageError>(order >= 0 && order <= 2, [&] {
                return distview::text(function, ": expected norm 1, 2 or 0 for infinity, got ",
                                      order);
            });
            check_reduced(*array, function, true);
        };
        const Reduction run = begin_reduction({array}, options, function, check, order);
        with_normed(*array, function, [&](const auto& cells) {
            *result = order == 1 ? distview::norm1(run.exec, array->comm, cells, run.options)
                      : order == 2
                          ? distview::norm2(run.exec, array->comm, cells, run.options)
                          : distview::norm_inf(run.exec, array->comm, cells, run.options.cells);
        });
    });
}
