// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "along_axis.hpp"

#include <distview/c/algorithms.h>

#include <distview/algorithms/scan.hpp>

#include <cstring>

using namespace distview::c;

int distview_inclusive_scan(const distview_array* source, int axis, int operation,
                            distview_array* target) {
    return guard(__func__, [&](const char* function) {
        const Operation chosen =
            begin_along_axis(source, axis, operation, target, function, false, [] {});
        const Exec& exec = host_for_kernels(function);
        with_axis_operation(chosen, source->view.section().element, function,
                            [&]<class T>(OfType<T>, const auto& op) {
                                distview::inclusive_scan(exec, source->comm,
                                                         wide<const T>(*source, Added::behind),
                                                         axis, wide<T>(*target, Added::behind), op);
                            });
        end_along_axis(*source, *target, chosen, function);
    });
}

int distview_exclusive_scan(const distview_array* source, int axis, int operation,
                            const void* start, distview_array* target) {
    return guard(__func__, [&](const char* function) {
        const Operation chosen =
            begin_along_axis(source, axis, operation, target, function, false, [&] {
                checked(static_cast<const char*>(start), function, "a value to start with");
            });
        const Exec& exec = host_for_kernels(function);
        with_axis_operation(chosen, source->view.section().element, function,
                            [&]<class T>(OfType<T>, const auto& op) {
                                T first;
                                std::memcpy(&first, start, sizeof(T));
                                distview::exclusive_scan(
                                    exec, source->comm, wide<const T>(*source, Added::behind), axis,
                                    wide<T>(*target, Added::behind), first, op);
                            });
        end_along_axis(*source, *target, chosen, function);
    });
}
