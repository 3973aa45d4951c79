// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution.hpp"
#include "operations.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace distview::c {

RedistributionOptions options_of(const distview_redistribution_options* options,
                                 const ArrayLayout& from, const ArrayLayout& to) {
    RedistributionOptions result;
    if (!options) return result;
    const auto slices = [](const distview_slice* given, int rank) {
        std::vector<AxisSlice> all;
        for (int d = 0; given && d < rank; ++d)
            all.push_back({given[d].begin, given[d].count, given[d].step});
        return all;
    };
    const auto numbers = [](const int* given, int count) {
        return given ? std::vector<int>(given, given + count) : std::vector<int>();
    };
    result.permutation = numbers(options->permutation, to.rank());
    result.from_slice = slices(options->from_slice, from.rank());
    result.to_slice = slices(options->to_slice, to.rank());
    result.from_ranks = numbers(options->from_ranks, from.process_count());
    result.to_ranks = numbers(options->to_ranks, to.process_count());
    result.buffer_bytes = options->buffer_bytes;
    result.allow_missing_indices = options->allow_missing_indices != 0;
    result.fill_padding = options->fill_padding != 0;
    result.conjugate = options->conjugate != 0;
    result.in_place = options->in_place != 0;
    return result;
}

} // namespace distview::c

using namespace distview::c;
using distview::AnyDistView;
using distview::ElementType;
using distview::require;
using distview::ShapeError;
using distview::text;
using distview::UsageError;

namespace {

/// Source and target of an execution; null if this rank is not a process of the grid.
struct Sections {
    const AnyDistView* source;
    const AnyDistView* target;
    ElementType element;
};

/// The sections of an execution; throws if one is missing.
Sections sections_of(const distview_redistribution_plan& plan, const distview_array* source,
                     const distview_array* target, const char* function) {
    const bool has_source = plan.plan.from_process() >= 0;
    const bool has_target = plan.plan.to_process() >= 0;
    if ((has_source && !source) || (has_target && !target))
        throw_null(function, has_source && !source ? "a source" : "a target");
    host(function);
    const AnyDistView* const from = has_source ? &source->view : nullptr;
    const AnyDistView* const to = has_target ? &target->view : nullptr;
    const AnyDistView* const known = from ? from : to;
    std::int32_t element = known ? number_of(known->section().element) : 0;
    if (plan.has_outsiders)
        element = distview::all_reduce(plan.comm, distview::ReduceOperation::max, element);
    return {from, to, element_of(element, function)};
}

/// target = op(target, source).
void combine(distview_redistribution_plan& plan, const Sections& sections, const Operation& chosen,
             const char* function) {
    with_operation(chosen, sections.element, function, [&]<class T>(OfType<T>, const auto& op) {
        plan.plan.combine_as<T>(host(function), op, sections.source, sections.target);
    });
}

} // namespace

int distview_redistribution_plan_create(const distview_communicator* comm,
                                        const distview_layout* from, const distview_layout* to,
                                        const distview_redistribution_options* options,
                                        distview_redistribution_plan** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        const auto [source, target, chosen] = together(all, function, [&] {
            checked(result, function, "a place for the result");
            const auto& a = checked(from, function, "a source's layout").value;
            const auto& b = checked(to, function, "a target's layout").value;
            require_kokkos(function);
            return std::tuple(a, b, options_of(options, a, b));
        });
        give(result, function, all, distview::RedistributionPlan(all, source, target, chosen),
             chosen.conjugate,
             std::min(source.process_count(), target.process_count()) < all.size());
    });
}

distview_redistribution_plan*
distview_redistribution_plan_retain(distview_redistribution_plan* plan) {
    return retain(plan);
}
void distview_redistribution_plan_release(distview_redistribution_plan* plan) { release(plan); }

int distview_redistribution_plan_execute(distview_redistribution_plan* plan,
                                         const distview_array* source, distview_array* target) {
    return guard_plan(__func__, plan,
                      [&](distview_redistribution_plan& used, const char* function) {
                          const Sections sections = sections_of(used, source, target, function);
                          if (!used.conjugates)
                              return used.plan.execute(host(function), sections.element,
                                                       sections.source, sections.target);
                          together(used.comm, function,
                                   [&] { with_number(sections.element, function, [](auto) {}); });
                          with_number(sections.element, function, [&]<class T>(OfType<T>) {
                              used.plan.execute_as<T>(host(function), T(1), sections.source, T(0),
                                                      sections.target);
                          });
                      });
}

int distview_redistribution_plan_start(distview_redistribution_plan* plan,
                                       const distview_array* source, distview_array* target,
                                       distview_exchange** result) {
    return guard_plan(
        __func__, plan, [&](distview_redistribution_plan& used, const char* function) {
            distview_exchange*& place = checked(result, function, "a place for the result");
            const Sections sections = sections_of(used, source, target, function);
            if (used.conjugates)
                together(used.comm, function,
                         [&] { with_number(sections.element, function, [](auto) {}); });
            distview_exchange& exchange = next_exchange(used.exchange);
            if (used.conjugates)
                with_number(sections.element, function, [&]<class T>(OfType<T>) {
                    keep(exchange, used.plan.start_as<T>(host(function), T(1), sections.source,
                                                         T(0), sections.target));
                });
            else
                used.plan.start(host(function), sections.element, sections.source, sections.target,
                                [&](auto handle) { keep(exchange, std::move(handle)); });
            place = retain(&exchange);
        });
}

int distview_redistribution_plan_execute_scaled(distview_redistribution_plan* plan,
                                                const void* alpha, const distview_array* source,
                                                const void* beta, distview_array* target) {
    return guard_plan(
        __func__, plan, [&](distview_redistribution_plan& used, const char* function) {
            const Sections sections = sections_of(used, source, target, function);
            together(used.comm, function, [&] {
                checked(static_cast<const char*>(alpha), function, "alpha");
                checked(static_cast<const char*>(beta), function, "beta");
                with_number(sections.element, function, [](auto) {});
            });
            with_number(sections.element, function, [&]<class T>(OfType<T>) {
                T a, b;
                std::memcpy(&a, alpha, sizeof(T));
                std::memcpy(&b, beta, sizeof(T));
                used.plan.execute_as<T>(host(function), a, sections.source, b, sections.target);
            });
        });
}

int distview_redistribution_plan_combine(distview_redistribution_plan* plan, int operation,
                                         const distview_array* source, distview_array* target) {
    return guard_plan_calls(
        __func__, plan, [&](distview_redistribution_plan& used, const char* function) {
            const Sections sections = sections_of(used, source, target, function);
            const Operation chosen =
                together(used.comm, function,
                         [&] {
                             Operation found = operation_of(operation, function);
                             check_operation(found, sections.element, function);
                             return found;
                         },
                         {agreed_operation(operation)});
            combine(used, sections, chosen, function);
            end_operation(used.comm, function, chosen);
        });
}

int distview_redistribution_plan_workspace_bytes(const distview_redistribution_plan* plan,
                                                 int64_t* bytes) {
    return guard(__func__, [&](const char* function) {
        checked(bytes, function, "a place for the bytes") =
            static_cast<std::int64_t>(checked(plan, function, "a plan").plan.workspace_bytes());
    });
}

int distview_redistribution_plan_describe(const distview_redistribution_plan* plan, char* buffer,
                                          int64_t capacity, int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(checked(plan, function, "a plan").plan.describe(), buffer, capacity, length,
                  function);
    });
}
