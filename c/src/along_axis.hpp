// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operations.hpp"
#include "wide.hpp"

#include <cstdint>
#include <type_traits>

namespace distview::c {

/// The operation that a call names. It is chosen at run time, so that one kernel per element type is compiled instead of
/// one per type and operation: these kernels are bound by memory.
template <class T>
struct AnyOperation {
    int number;
    UserOperation<T> of_program;
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        if constexpr (std::is_arithmetic_v<T>) {
            if (number == DISTVIEW_MINIMUM) return Minimum{}(here, incoming);
            if (number == DISTVIEW_MAXIMUM) return Maximum{}(here, incoming);
        }
        return of_program(here, incoming);
    }
};

/// Calls use(OfType<T>(), op) for the types for which algorithms along an axis are compiled, fewer than in
/// with_operation(). ShapeError for other types.
template <class Use>
void with_axis_operation(const Operation& operation, const ElementType& element,
                         const char* function, Use&& use) {
    const auto chosen = [&]<class T>(OfType<T> type) {
        if (operation.number == DISTVIEW_SUM)
            use(type, Sum{}); // adds as sum() does, in other types than T
        else
            use(type, AnyOperation<T>{operation.number,
                                      {operation.of_program.get(), number_of(element)}});
    };
    const auto is = [&]<class T>(OfType<T>) { return element == element_type<T>(); };
    if (is(OfType<double>())) return chosen(OfType<double>());
    if (is(OfType<float>())) return chosen(OfType<float>());
    if (is(OfType<std::int32_t>())) return chosen(OfType<std::int32_t>());
    if (is(OfType<std::int64_t>())) return chosen(OfType<std::int64_t>());
    const bool orders =
        operation.number == DISTVIEW_MINIMUM || operation.number == DISTVIEW_MAXIMUM;
    if (!orders && with_complex(element, chosen)) return;
    throw_element(function,
                  orders ? "signed integers of 32 or 64 bits or floating-point numbers"
                         : "signed integers of 32 or 64 bits, floating-point or complex numbers",
                  element);
}

/// Checks the arguments of an operation along an axis on all ranks, also by `check`. If the source is not an array, the
/// error stays on this rank.
template <class Check>
Operation begin_along_axis(const distview_array* source, int axis, int operation,
                           const distview_array* target, const char* function, bool reproducible,
                           Check&& check) {
    const distview_array& from = checked(source, function, "a source");
    return together(
        from.comm, function,
        [&] {
            host_for_kernels(function);
            const distview_array& to = checked(target, function, "a target");
            const int rank = from.view.rank();
            require<UsageError>(axis >= 0 && axis < rank, [&] {
                return text(function, ": expected an axis in [0, ", rank, "), got ", axis);
            });
            const ElementType element = from.view.section().element;
            require<ShapeError>(
                to.view.section().element == element && to.view.rank() == rank, [&] {
                    return text(function,
                                ": expected a target of the source's element type and number of "
                                "axes, ",
                                distview::describe(element), " with ", rank, " axes, got ",
                                distview::describe(to.view.section().element), " with ",
                                to.view.rank());
                });
            Operation found = operation_of(operation, function);
            with_axis_operation(found, element, function, [&]<class T>(OfType<T>, const auto&) {
                wide<const T>(from, Added::behind);
                wide<T>(to, Added::behind);
            });
            check();
            return found;
        },
        {{"axis", axis}, agreed_operation(operation), {"reproducible", reproducible}},
        {source, target});
}

/// Ends an operation along an axis: marks the target as written, and throws the error of an operation of the program.
inline void end_along_axis(const distview_array& source, const distview_array& target,
                           const Operation& operation, const char* function) {
    note_written(target);
    end_operation(source.comm, function, operation);
}

} // namespace distview::c
