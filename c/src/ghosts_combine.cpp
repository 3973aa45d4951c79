// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ghosts.hpp"

using namespace distview::c;

int distview_ghost_plan_combine(distview_ghost_plan* plan, int operation, distview_array* array) {
    return guard_plan_calls(__func__, plan, [&](distview_ghost_plan& used, const char* function) {
        host(function);
        const Operation chosen =
            together(used.comm, function,
                     [&] {
                         check_ghosted_array(used, array, function);
                         Operation found = operation_of(operation, function);
                         with_operation(found, array->view.section().element, function,
                                        [&]<class T>(OfType<T>, const auto&) {
                                            wide<T>(*array, Added::behind);
                                        });
                         return found;
                     },
                     {agreed_operation(operation)}, {array});
        note_written(*array);
        with_operation(chosen, array->view.section().element, function,
                       [&]<class T>(OfType<T>, const auto& op) {
                           used.plan.combine(host(function), op, wide<T>(*array, Added::behind));
                       });
        end_operation(used.comm, function, chosen);
    });
}
