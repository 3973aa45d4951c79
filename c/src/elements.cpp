// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"

#include <initializer_list>
#include <optional>

using namespace distview::c;
using distview::IndexList;

namespace {

/// The elements that a call names.
struct Named {
    const distview_index_list* list = nullptr;
    const std::int64_t* begin = nullptr; ///< of a box
    const std::int64_t* end = nullptr;
    bool is_box = false;

    /// The list for an array of `rank` axes.
    IndexList indices(int rank, const char* function) const {
        if (is_box) {
            IndexList box(distview::max_rank);
            add_box(box, rank, begin, end, nullptr, function);
            return box;
        }
        const distview_index_list& given = checked(list, function, "a list");
        distview::require<distview::UsageError>(given.rank == rank, [&] {
            return distview::text(function, ": expected a list of elements with ", rank,
                                  " indices, got ", given.rank);
        });
        return given.value;
    }
};

/// Checks the arguments on all ranks, makes a plan, and calls use(plan, exec).
template <class Check, class Use>
void with_plan(const distview_array* array, const Named& named, std::int64_t count,
               const void* values, const char* function,
               std::initializer_list<AgreedNumber> numbers, Check&& check, Use&& use) {
    const distview_array& used = checked(array, function, "an array");
    const distview::CollectiveCall call(used.comm, function);
    IndexList indices(distview::max_rank);
    const Exec exec = together(used.comm, function,
                               [&] {
                                   indices = named.indices(used.view.rank(), function);
                                   check_values(array, used.view.layout(), indices.size(), count,
                                                values, function);
                                   check();
                                   return host(function);
                               },
                               numbers, {array});
    distview::GatherPlan plan(used.comm, widened(used.view.layout(), Added::behind), indices);
    use(plan, exec);
}

int get(const distview_array* array, const Named& named, std::int64_t count, void* values,
        const char* name) {
    return guard(name, [&](const char* function) {
        with_plan(
            array, named, count, values, function, {},
            [&] {
                with_raw(array->view.section().element, function,
                         [&]<class T>(OfType<T>) { wide<T>(*array, Added::behind); });
            },
            [&](distview::GatherPlan& plan, const Exec& exec) {
                gather_values(plan, exec, *array, values, false, function);
            });
    });
}

int put(distview_array* array, const Named& named, std::int64_t count, const void* values,
        const char* name) {
    return guard(name, [&](const char* function) {
        with_plan(
            array, named, count, values, function, {},
            [&] {
                check_may_write(*array, function);
                with_raw(array->view.section().element, function,
                         [&]<class T>(OfType<T>) { wide<T>(*array, Added::behind); });
            },
            [&](distview::GatherPlan& plan, const Exec& exec) {
                put_values(plan, exec, values, *array, function);
            });
    });
}

int accumulate(distview_array* array, int operation, const Named& named, std::int64_t count,
               const void* values, const char* name) {
    return guard(name, [&](const char* function) {
        Operation chosen;
        with_plan(
            array, named, count, values, function, {agreed_operation(operation)},
            [&] {
                chosen = operation_of(operation, function);
                check_operation(chosen, array->view.section().element, function);
                check_writable(*array, function);
            },
            [&](distview::GatherPlan& plan, const Exec& exec) {
                combine_values(plan, exec, chosen, values, *array, function);
                end_operation(array->comm, function, chosen);
            });
    });
}

} // namespace

int distview_get_elements(const distview_array* array, const distview_index_list* list,
                          int64_t count, void* values) {
    return get(array, {.list = list}, count, values, __func__);
}
int distview_put_elements(distview_array* array, const distview_index_list* list, int64_t count,
                          const void* values) {
    return put(array, {.list = list}, count, values, __func__);
}
int distview_accumulate_elements(distview_array* array, int operation,
                                 const distview_index_list* list, int64_t count,
                                 const void* values) {
    return accumulate(array, operation, {.list = list}, count, values, __func__);
}

int distview_get_box(const distview_array* array, const int64_t* begin, const int64_t* end,
                     int64_t count, void* values) {
    return get(array, {.begin = begin, .end = end, .is_box = true}, count, values, __func__);
}
int distview_put_box(distview_array* array, const int64_t* begin, const int64_t* end, int64_t count,
                     const void* values) {
    return put(array, {.begin = begin, .end = end, .is_box = true}, count, values, __func__);
}
int distview_accumulate_box(distview_array* array, int operation, const int64_t* begin,
                            const int64_t* end, int64_t count, const void* values) {
    return accumulate(array, operation, {.begin = begin, .end = end, .is_box = true}, count, values,
                      __func__);
}
