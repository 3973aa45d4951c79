// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"

namespace distview::c {

void check_writable(const distview_array& array, const char* function) {
    const ElementType element = array.view.section().element;
    check_may_write(array, function);
    if (!with_real(element, [&]<class T>(OfType<T>) { wide<T>(array, Added::behind); }))
        with_complex(element, [&]<class T>(OfType<T>) { wide<T>(array, Added::behind); });
}

void combine_values(GatherPlan& plan, const Exec& exec, const Operation& operation,
                    const void* values, const distview_array& array, const char* function) {
    const ElementType element = array.view.section().element;
    note_written(array);
    with_operation(operation, element, function, [&]<class T>(OfType<T>, const auto& op) {
        const Values<const T> list(static_cast<const T*>(values),
                                   static_cast<std::size_t>(plan.size()));
        plan.combine(exec, op, list, wide<T>(array, Added::behind));
    });
}

} // namespace distview::c
