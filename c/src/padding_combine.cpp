// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operations.hpp"
#include "plan.hpp"

using namespace distview::c;

int distview_padding_plan_combine(distview_padding_plan* plan, int operation, int count,
                                  distview_array* const* arrays) {
    return guard_plan_calls(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        const Exec& exec = host(function);
        const auto fields = fields_of(used, count, arrays, function);
        const distview::ElementType element =
            fields.empty() ? distview::element_type<double>() : fields[0]->section().element;
        const Operation chosen = together(
            used.comm, function,
            [&] {
                for (const distview::AnyDistView* field : fields) {
                    const distview::ElementType& other = field->section().element;
                    distview::require<distview::ShapeError>(other == element, [&] {
                        return distview::text(
                            function, ": expected fields of one element type, got ",
                            distview::describe(element), " and ", distview::describe(other));
                    });
                }
                Operation found = operation_of(operation, function);
                check_operation(found, element, function);
                return found;
            },
            {agreed_operation(operation)});
        with_operation(chosen, element, function, [&]<class T>(OfType<T>, const auto& op) {
            used.plan.combine_as<T>(exec, op, fields);
        });
        end_operation(used.comm, function, chosen);
    });
}
