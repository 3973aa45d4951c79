// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.hpp"
#include "together.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace distview::c {

namespace {

PaddingExchangeOptions options_of(const distview_padding_options* options, int rank,
                                  const char* function) {
    PaddingExchangeOptions result;
    if (!options) return result;
    result.stencil = stencil_of(options->stencil, function);
    for (int d = 0; options->widths && d < rank; ++d)
        result.widths.emplace_back(options->widths[2 * d], options->widths[2 * d + 1]);
    return result;
}

void check_pointers(int count, distview_array* const* arrays, const char* function) {
    require<UsageError>(
        count >= 0, [&] { return text(function, ": expected at least 0 arrays, got ", count); });
    if (count > 0) checked(arrays, function, "arrays");
    for (int i = 0; i < count; ++i) checked(arrays[i], function, "an array");
}

/// With full contracts: a null pointer on one rank, or different arrays, are the same error on all ranks.
void check_fields(const distview_padding_plan& plan, int count, distview_array* const* arrays,
                  const char* function) {
    const distview::CollectiveCall call(plan.comm, function);
    std::exception_ptr failure;
    std::uint64_t digest = static_cast<std::uint64_t>(count);
    std::vector<std::uint64_t> identities;
    try {
        check_pointers(count, arrays, function);
        for (int i = 0; i < count; ++i) {
            const ElementType element = arrays[i]->view.section().element;
            digest = digest * 1021 + static_cast<std::uint64_t>(element.bytes) * 8 +
                     static_cast<std::uint64_t>(element.kind);
            identities.push_back(arrays[i]->view.identity());
        }
    } catch (...) {
        failure = std::current_exception();
    }
    const auto arguments = [&] {
        std::vector<Argument> list{{"count", text(count)}};
        for (int i = 0; i < count; ++i)
            list.push_back(
                {text("element type of array ", i), describe(arrays[i]->view.section().element)});
        return list;
    };
    agree(plan.comm, function, failure, digest, arguments, identities);
}

} // namespace

Stencil stencil_of(int stencil, const char* function) {
    require<UsageError>(stencil == DISTVIEW_BOX || stencil == DISTVIEW_FACES, [&] {
        return text(function, ": expected the stencil box (0) or faces (1), got ", stencil);
    });
    return stencil == DISTVIEW_FACES ? Stencil::faces : Stencil::box;
}

std::span<const AnyDistView* const> fields_of(distview_padding_plan& plan, int count,
                                              distview_array* const* arrays, const char* function) {
    if (contracts() == Contracts::full)
        check_fields(plan, count, arrays, function);
    else if (contracts() == Contracts::cheap)
        check_pointers(count, arrays, function);
    plan.fields.clear();
    for (int i = 0; i < count; ++i) plan.fields.push_back(&arrays[i]->view);
    return plan.fields;
}

} // namespace distview::c

using namespace distview::c;
using distview::ArrayLayout;
using distview::Communicator;
using distview::require;
using distview::text;
using distview::UsageError;

distview_padding_plan::~distview_padding_plan() { leave_exchange(exchange); }

int distview_padding_plan_create(const distview_communicator* comm, const distview_layout* layout,
                                 const distview_padding_options* options,
                                 distview_padding_plan** result) {
    return guard(__func__, [&](const char* function) {
        const Communicator& all = communicator_of(comm, function);
        const auto [whole, chosen] = together(all, function, [&] {
            checked(result, function, "a place for the result");
            const ArrayLayout& value = checked(layout, function, "a layout").value;
            require_kokkos(function);
            return std::pair(value, options_of(options, value.rank(), function));
        });
        give(result, function, all, distview::PaddingExchangePlan(all, whole, chosen),
             std::vector<ArrayLayout>{whole}, true);
    });
}

int distview_padding_plan_create_fields(const distview_communicator* comm, int count,
                                        const distview_layout* const* layouts,
                                        const distview_padding_options* options,
                                        distview_padding_plan** result) {
    return guard(__func__, [&](const char* function) {
        const Communicator& all = communicator_of(comm, function);
        std::vector<ArrayLayout> whole;
        std::vector<distview::FieldExchange> fields;
        together(all, function, [&] {
            checked(result, function, "a place for the result");
            require<UsageError>(count > 0, [&] {
                return text(function, ": expected at least 1 field, got ", count);
            });
            checked(layouts, function, "layouts");
            for (int i = 0; i < count; ++i) {
                const ArrayLayout& value = checked(layouts[i], function, "a layout").value;
                whole.push_back(value);
                fields.push_back(
                    {value, options_of(options ? options + i : nullptr, value.rank(), function)});
            }
            require_kokkos(function);
        });
        give(result, function, all, distview::PaddingExchangePlan(all, fields), whole, false);
    });
}

distview_padding_plan* distview_padding_plan_retain(distview_padding_plan* plan) {
    return retain(plan);
}
void distview_padding_plan_release(distview_padding_plan* plan) { release(plan); }

int distview_padding_plan_execute(distview_padding_plan* plan, int count,
                                  distview_array* const* arrays) {
    return guard_plan(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        const Exec& exec = host(function);
        used.plan.execute(exec, fields_of(used, count, arrays, function));
    });
}

int distview_padding_plan_require(distview_padding_plan* plan, int64_t low, int64_t high, int count,
                                  distview_array* const* arrays, int* exchanged) {
    return guard_plan(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        const Exec& exec = host(function);
        const bool any = used.plan.require(exec, distview::Widths(low, high),
                                           fields_of(used, count, arrays, function));
        if (exchanged) *exchanged = any ? 1 : 0;
    });
}

int distview_padding_plan_workspace_bytes(const distview_padding_plan* plan, int64_t* bytes) {
    return guard(__func__, [&](const char* function) {
        checked(bytes, function, "a place for the bytes") =
            static_cast<std::int64_t>(checked(plan, function, "a plan").plan.workspace_bytes());
    });
}

int distview_padding_plan_is_usable(const distview_padding_plan* plan, int* usable) {
    return guard(__func__, [&](const char* function) {
        checked(usable, function, "a place for the answer") =
            checked(plan, function, "a plan").plan.is_usable() ? 1 : 0;
    });
}

int distview_padding_plan_describe(const distview_padding_plan* plan, char* buffer,
                                   int64_t capacity, int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(checked(plan, function, "a plan").plan.describe(), buffer, capacity, length,
                  function);
    });
}
