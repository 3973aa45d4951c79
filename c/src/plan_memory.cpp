// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"
#include "plan.hpp"
#include "together.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>

namespace distview::c {

namespace {

/// The most fields that a plan remembers: as many as the plan's own 32 sets of arrays, with 16 fields each.
constexpr std::size_t most_remembered = 512;

bool same_memory(const distview_memory& a, const distview_memory& b) noexcept {
    if (a.data != b.data || a.element != b.element || a.rank != b.rank || a.order != b.order ||
        a.read_only != b.read_only || a.device_type != b.device_type || a.device_id != b.device_id)
        return false;
    for (int d = 0; d < a.rank; ++d)
        if (a.extents[d] != b.extents[d] ||
            (a.order == DISTVIEW_STRIDED && a.strides[d] != b.strides[d]))
            return false;
    return true;
}

const AnyDistView& view_of(distview_padding_plan& plan, std::size_t field,
                           const distview_memory& memory, const char* function) {
    const ArrayLayout& layout = plan.layouts[plan.one_geometry ? 0 : field];
    for (const auto& known : plan.remembered)
        if (same_memory(known->memory, memory) && known->view.layout() == layout)
            return known->view;
    plan.remembered.push_back(std::make_unique<RememberedMemory>(RememberedMemory{
        memory, AnyDistView(section_of(memory, function), layout, plan.comm.rank())}));
    return plan.remembered.back()->view;
}

} // namespace

} // namespace distview::c

using namespace distview::c;
using distview::require;
using distview::ShapeError;
using distview::text;
using distview::UsageError;

int distview_padding_plan_exchange(distview_padding_plan* plan, int count,
                                   const distview_memory* fields) {
    return guard_plan(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        const Exec& exec = host(function);
        const auto look = [&] {
            require<UsageError>(
                count > 0 && (used.one_geometry || count == std::ssize(used.layouts)), [&] {
                    return text(function, ": expected ",
                                used.one_geometry ? "at least 1" : text(used.layouts.size()),
                                " fields, got ", count);
                });
            checked(fields, function, "fields");
            if (used.remembered.size() + static_cast<std::size_t>(count) > most_remembered)
                used.remembered.clear();
            used.fields.clear();
            for (int i = 0; i < count; ++i)
                used.fields.push_back(
                    &view_of(used, static_cast<std::size_t>(i), fields[i], function));
        };
        try {
            look_at(used.comm, function, look, {{"count", count}});
        } catch (...) {
            // All ranks throw, and may have remembered different memory: forget all of it.
            if (contracts() == Contracts::full) used.remembered.clear();
            throw;
        }
        const std::span<const distview::AnyDistView* const> views(used.fields);
        used.plan.execute(exec, views);
    });
}

int distview_padding_plan_forget(distview_padding_plan* plan) {
    return guard(__func__, [&](const char* function) {
        checked(plan, function, "a plan").remembered.clear();
    });
}
