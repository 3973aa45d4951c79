// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "along_axis.hpp"

#include <distview/c/algorithms.h>

#include <distview/algorithms/axis_reduce.hpp>

#include <cstdint>
#include <type_traits>

using namespace distview::c;
using distview::require;
using distview::text;
using distview::UsageError;

namespace {

/// Checks that the whole arrays fit; the algorithm itself compares the distribution of their cells.
void check_extents(const distview_array& source, int axis, const distview_array& target,
                   const char* function) {
    const distview::ArrayLayout& from = source.view.layout();
    const distview::ArrayLayout& to = target.view.layout();
    for (int d = 0; d < from.rank(); ++d) {
        const std::int64_t expected = d == axis ? 1 : from.extent(d);
        require<distview::ShapeError>(to.extent(d) == expected, [&] {
            return text(function, ": expected a target with ", expected, " cells along axis ", d,
                        ", got ", to.extent(d), "; distview_layout_reduced() makes its layout");
        });
    }
}

} // namespace

int distview_axis_reduce(const distview_array* source, int axis, int operation,
                         const distview_reduction_options* options, distview_array* target) {
    return guard(__func__, [&](const char* function) {
        const bool reproducible = options && options->reproducible != 0;
        const Operation chosen =
            begin_along_axis(source, axis, operation, target, function, reproducible, [&] {
                require<UsageError>(!options || options->cells == DISTVIEW_INTERIOR, [&] {
                    return text(function, ": expected interior cells (0), got ", options->cells);
                });
                require<UsageError>(!reproducible || operation == DISTVIEW_SUM, [&] {
                    return text(function,
                                ": expected the operation sum (1) for reproducible results, got ",
                                operation);
                });
            });
        // After the agreement on the axis. Together, since a target without a number may be wrong on one rank only.
        together(source->comm, function, [&] { check_extents(*source, axis, *target, function); });
        const Exec& exec = host_for_kernels(function);
        with_axis_operation(chosen, source->view.section().element, function,
                            [&]<class T, class Op>(OfType<T>, const Op& op) {
                                const Wide<const T>& from = wide<const T>(*source, Added::behind);
                                const Wide<T>& to = wide<T>(*target, Added::behind);
                                if constexpr (std::is_same_v<Op, distview::Sum>)
                                    distview::axis_reduce(exec, source->comm, op, from, axis, to,
                                                          {.reproducible = reproducible});
                                else
                                    distview::axis_reduce(exec, source->comm, op, from, axis, to);
                            });
        end_along_axis(*source, *target, chosen, function);
    });
}

int distview_layout_reduced(const distview_layout* layout, int axis, int everywhere,
                            distview_layout** result) {
    return guard(__func__, [&](const char* function) {
        const distview::ArrayLayout& whole = checked(layout, function, "a layout").value;
        give(result, function,
             distview::reduced_layout(whole, axis,
                                      everywhere ? distview::AxisResult::everywhere
                                                 : distview::AxisResult::first));
    });
}
