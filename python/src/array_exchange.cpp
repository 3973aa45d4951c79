// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding exchanges of Python's arrays.
#include "array.hpp"

#include "device_work.hpp"
#include "runtime.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace distview::python {

namespace {

constexpr const char* caller = "exchange_padding";

std::vector<AnySection> pending_sections(const std::vector<ArrayState*>& arrays) {
    std::vector<AnySection> result;
    for (const ArrayState* array : arrays) result.push_back(array->pending_section());
    return result;
}

std::vector<const AnySection*> pointers(const std::vector<AnySection>& sections) {
    std::vector<const AnySection*> result;
    for (const AnySection& section : sections) result.push_back(&section);
    return result;
}

/// Copies within the section: all there is to do for an array of one process. Kokkos need not run.
void copy_own_padding(const AnyDistView& view) {
    const AnySection& section = view.section();
    const PaddingExchangeSchedule schedule(view.layout(), view.process());
    const int rank = view.rank();
    schedule.for_each_incoming([&](const PaddingRegion& region) {
        std::vector<std::int64_t> at(static_cast<std::size_t>(rank), 0);
        for (std::int64_t i = 0; i < region.elements; ++i) {
            char* to = static_cast<char*>(section.data);
            const char* from = to;
            for (int d = 0; d < rank; ++d) {
                const auto a = static_cast<std::size_t>(d);
                to += (region.begin[a].value() + at[a]) * section.strides[a];
                from += (region.peer_begin[a].value() + at[a]) * section.strides[a];
            }
            std::copy_n(from, section.element.bytes, to);
            for (int d = rank - 1; d >= 0; --d) {
                const auto a = static_cast<std::size_t>(d);
                if (++at[a] < region.extents[a]) break;
                at[a] = 0;
            }
        }
    });
}

std::vector<ArrayLayout> layouts_of(const std::vector<ArrayState*>& arrays) {
    std::vector<ArrayLayout> layouts;
    for (const ArrayState* array : arrays)
        layouts.push_back(array->view("exchange_padding").layout());
    return layouts;
}

} // namespace

void ArrayState::check_exchange(const std::vector<ArrayState*>& arrays) const {
    for (const ArrayState* array : arrays) {
        const AnyDistView& view = array->view("exchange_padding");
        const bool same = array->m_comm.has_value() == m_comm.has_value() &&
                          (!m_comm || array->m_comm->state() == m_comm->state());
        require<UsageError>(same, "exchange_padding: expected arrays of one communicator");
        require<ShapeError>(!view.section().read_only,
                            "exchange_padding: the array is read-only: an exchange writes its "
                            "padding");
        require<ShapeError>(!array->holds_objects(),
                            "exchange_padding: the elements are Python objects or addresses, which "
                            "mean nothing to other processes");
    }
}

std::shared_ptr<PaddingExchangePlan> ArrayState::plan_for(const std::vector<ArrayState*>& arrays) {
    constexpr std::size_t most_plans = 4;
    const std::vector<ArrayLayout> layouts = layouts_of(arrays);
    const auto known = std::find_if(m_plans.begin(), m_plans.end(),
                                    [&](const Plan& plan) { return plan.layouts == layouts; });
    if (known != m_plans.end()) {
        std::rotate(known, known + 1, m_plans.end());
        return m_plans.back().plan;
    }
    std::vector<FieldExchange> fields;
    for (const ArrayLayout& layout : layouts) fields.push_back({layout, {}});
    std::shared_ptr<PaddingExchangePlan> plan;
    {
        const nb::gil_scoped_release release;
        plan = std::make_shared<PaddingExchangePlan>(*m_comm, fields);
    }
    if (m_plans.size() == most_plans) m_plans.erase(m_plans.begin());
    m_plans.push_back({layouts, plan});
    return plan;
}

void ArrayState::exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                                  Failure failure) {
    std::vector<ArrayState*> arrays{this};
    for (const auto& array : others) arrays.push_back(array.get());
    // Plans take what ranks pass on trust: ranks that pass other arrays would wait for ever.
    std::uint64_t digest = arrays.size();
    std::vector<AnySection> sections;
    Kernels kernels = Kernels::host;
    if (!failure.image) {
        try {
            check_exchange(arrays);
            sections = pending_sections(arrays);
            kernels = kernels_for(caller, pointers(sections), m_comm.has_value());
            if (m_comm) require_kokkos(caller, m_comm->size());
            begin_work(caller, kernels, pointers(sections));
        } catch (...) {
            failure = current_failure();
        }
        for (const ArrayState* array : arrays)
            digest = digest * 0x9e3779b97f4a7c15u + array->m_number;
    }
    if (!m_comm) {
        if (failure.image) std::rethrow_exception(failure.image);
        for (const ArrayState* array : arrays) copy_own_padding(*array->m_view);
        return;
    }
    agree(*m_comm, caller, failure, digest, [&] {
        std::vector<Argument> arguments{{"number of arrays", text(arrays.size())}};
        for (std::size_t i = 0; i < arrays.size(); ++i)
            arguments.push_back({text("array ", i, ", counted as they were made,"),
                                 text(arrays[i]->m_number)});
        return arguments;
    });
    const std::shared_ptr<PaddingExchangePlan> plan = plan_for(arrays);
    std::vector<AnyDistView> views;
    for (const ArrayState* array : arrays) views.push_back(*array->m_view);
    const nb::gil_scoped_release release;
    with_exec(kernels,
              [&](const auto& exec) { plan->execute(exec, std::span<const AnyDistView>(views)); });
}

} // namespace distview::python
