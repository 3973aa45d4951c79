// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"
#include "exchanges.hpp"

#include <distview/core/memory_overlap.hpp>

namespace distview::c {

void check_values(const distview_array* array, const ArrayLayout& layout, std::int64_t expected,
                  std::int64_t count, const void* values, const char* function) {
    const distview_array& used = checked(array, function, "an array");
    require<ShapeError>(used.view.layout() == layout, [&] {
        return text(function, ": expected an array of the plan's layout, got a ",
                    used.view.layout().describe(), "\nthe plan is for a ", layout.describe());
    });
    require<ShapeError>(count == expected, [&] {
        return text(function, ": expected ", expected, " values, got ", count);
    });
    if (count == 0) return;
    checked(static_cast<const char*>(values), function, "values");
    const AnySection& section = used.view.section();
    require<UsageError>(
        !memory_overlaps({section.data, section.element.bytes, section.extents, section.strides},
                         {values, count * section.element.bytes}),
        [&] { return text(function, ": expected values that share no memory with the array"); });
}

void gather_values(GatherPlan& plan, const Exec& exec, const distview_array& array, void* values,
                   bool alone, const char* function) {
    with_raw(array.view.section().element, function, [&]<class T>(OfType<T>) {
        const Values<T> list(static_cast<T*>(values), static_cast<std::size_t>(plan.size()));
        const Wide<T>& cells = wide<T>(array, Added::behind);
        if (alone)
            plan.read(exec, cells, list);
        else
            plan.execute(exec, cells, list);
    });
}

void put_values(GatherPlan& plan, const Exec& exec, const void* values, const distview_array& array,
                const char* function) {
    note_written(array);
    with_raw(array.view.section().element, function, [&]<class T>(OfType<T>) {
        const Values<const T> list(static_cast<const T*>(values),
                                   static_cast<std::size_t>(plan.size()));
        plan.combine(exec, Replace{}, list, wide<T>(array, Added::behind));
    });
}

} // namespace distview::c

using namespace distview::c;

namespace {

/// Checks the arguments of an execution on all ranks.
template <class Check>
void check_gather(const distview_gather_plan& plan, const distview_array* array, int64_t count,
                  const void* values, const char* function, const Check& check) {
    together(plan.comm, function,
             [&] {
                 check();
                 check_values(array, plan.layout, plan.plan.size(), count, values, function);
                 with_raw(array->view.section().element, function,
                          [&]<class T>(OfType<T>) { wide<T>(*array, Added::behind); });
             },
             {}, {array});
}

} // namespace

int distview_gather_plan_create(const distview_communicator* comm, const distview_layout* layout,
                                const distview_index_list* list, distview_gather_plan** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        together(all, function, [&] {
            checked(result, function, "a place for the result");
            const auto& whole = checked(layout, function, "a layout").value;
            const auto& wanted = checked(list, function, "a list");
            distview::require<distview::UsageError>(wanted.rank == whole.rank(), [&] {
                return distview::text(function, ": expected a list of elements with ", whole.rank(),
                                      " indices, got ", wanted.rank);
            });
            require_kokkos(function);
        });
        give(result, function, all, layout->value,
             distview::GatherPlan(all, widened(layout->value, Added::behind), list->value));
    });
}

distview_gather_plan* distview_gather_plan_retain(distview_gather_plan* plan) {
    return retain(plan);
}
void distview_gather_plan_release(distview_gather_plan* plan) { release(plan); }

int distview_gather_plan_size(const distview_gather_plan* plan, int64_t* size) {
    return guard(__func__, [&](const char* function) {
        checked(size, function, "a place for the size") =
            checked(plan, function, "a plan").plan.size();
    });
}

int distview_gather_plan_describe(const distview_gather_plan* plan, char* buffer, int64_t capacity,
                                  int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(checked(plan, function, "a plan").plan.describe(), buffer, capacity, length,
                  function);
    });
}

int distview_gather_plan_execute(distview_gather_plan* plan, const distview_array* array,
                                 int64_t count, void* values) {
    return guard_plan(__func__, plan, [&](distview_gather_plan& used, const char* function) {
        host(function);
        check_gather(used, array, count, values, function, [] {});
        gather_values(used.plan, host(function), *array, values, false, function);
    });
}

int distview_gather_plan_start(distview_gather_plan* plan, const distview_array* array,
                               int64_t count, void* values, distview_exchange** result) {
    return guard_plan(__func__, plan, [&](distview_gather_plan& used, const char* function) {
        host(function);
        check_gather(used, array, count, values, function,
                     [&] { checked(result, function, "a place for the result"); });
        auto made = std::make_unique<distview_exchange>();
        made->belongs_to_plan = false;
        with_raw(array->view.section().element, function, [&]<class T>(OfType<T>) {
            const Values<T> list(static_cast<T*>(values), static_cast<std::size_t>(count));
            auto handle = used.plan.start(host(function), wide<T>(*array, Added::behind), list);
            made->other = std::make_unique<InFlightOf<decltype(handle)>>(std::move(handle));
        });
        *result = made.release();
    });
}

int distview_gather_plan_read(distview_gather_plan* plan, const distview_array* array,
                              int64_t count, void* values) {
    return guard(__func__, [&](const char* function) {
        distview_gather_plan& used = checked(plan, function, "a plan");
        host(function);
        check_values(array, used.layout, used.plan.size(), count, values, function);
        gather_values(used.plan, host(function), *array, values, true, function);
    });
}

int distview_gather_plan_combine(distview_gather_plan* plan, int operation, int64_t count,
                                 const void* values, distview_array* array) {
    return guard_plan_calls(__func__, plan, [&](distview_gather_plan& used, const char* function) {
        host(function);
        const Operation chosen = together(
            used.comm, function,
            [&] {
                check_values(array, used.layout, used.plan.size(), count, values, function);
                Operation found = operation_of(operation, function);
                check_operation(found, array->view.section().element, function);
                check_writable(*array, function);
                return found;
            },
            {agreed_operation(operation)}, {array});
        combine_values(used.plan, host(function), chosen, values, *array, function);
        end_operation(used.comm, function, chosen);
    });
}
