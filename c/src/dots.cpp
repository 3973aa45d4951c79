// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reductions.hpp"

#include <distview/algorithms/sum.hpp>

#include <cstdint>
#include <type_traits>

using namespace distview::c;

int distview_dot(const distview_array* x, const distview_array* y,
                 const distview_reduction_options* options, distview_value* result) {
    return guard(__func__, [&](const char* function) {
        const distview::CollectiveCall call(checked(x, function, "an array").comm, function);
        const Reduction run = begin_reduction({x, y}, options, function, [&] {
            checked(result, function, "a place for the result");
            const distview_array& other = checked(y, function, "a second array");
            const auto& element = x->view.section().element;
            distview::require<distview::ShapeError>(
                other.view.section().element == element && other.view.rank() == x->view.rank(),
                [&] {
                    return distview::text(function,
                                          ": expected arrays of one element type and "
                                          "number of axes, got ",
                                          distview::describe(element), " with ", x->view.rank(),
                                          " axes and ",
                                          distview::describe(other.view.section().element),
                                          " with ", other.view.rank());
                });
            // Compared here, so that the error does not describe widened layouts, as errors of other differences do.
            for (int d = 0; d < x->view.rank(); ++d) {
                const std::int64_t cells = x->view.layout().extent(d);
                const std::int64_t others = other.view.layout().extent(d);
                distview::require<distview::ShapeError>(cells == others, [&] {
                    return distview::text(function, ": expected a second array with ", cells,
                                          " cells along axis ", d, ", got ", others);
                });
            }
            check_reduced(*x, function, true);
            check_reduced(other, function, true);
        });
        // Axes are added to both arrays at the same place: otherwise the layouts would differ.
        const Added added = added_for(*x);
        with_reduced(*x, added, function, true, [&]<class Cells>(const Cells& first) {
            with_reduced(*y, added, function, true, [&]<class Others>(const Others& second) {
                if constexpr (std::is_same_v<Cells, Others>)
                    *result =
                        value_of(distview::dot(run.exec, x->comm, first, second, run.options));
            });
        });
    });
}
