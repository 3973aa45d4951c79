// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

#include "plan/agree_on_plan.hpp"

#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace distview {

namespace {

/// Calls the visitor with the arguments that all ranks must pass alike.
template <class Visitor>
void visit_arguments(Visitor& visitor, const std::vector<FieldExchange>& fields) {
    visitor("number of fields", fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string field = text(" of field ", i);
        const PaddingExchangeOptions& options = fields[i].options;
        visitor("layout" + field, fields[i].layout);
        visitor("stencil" + field, options.stencil == Stencil::box ? "box" : "faces");
        visitor("widths" + field, options.widths);
    }
}

std::shared_ptr<impl::PaddingExchangeCore>
make_core(const Communicator& comm, const std::vector<FieldExchange>& fields, bool one_geometry) {
    const CollectiveCall call(comm, plan_names::padding_exchange);
    std::vector<PaddingExchangeSchedule> schedules;
    const auto make_schedules = [&] {
        require<UsageError>(!fields.empty(), "PaddingExchangePlan: expected at least one field");
        for (const FieldExchange& field : fields) {
            impl::check_grid(plan_names::padding_exchange, comm, field.layout);
            impl::check_known_labels(plan_names::padding_exchange, field.layout, comm.rank(),
                                     "array");
            schedules.emplace_back(field.layout, comm.rank(), field.options);
        }
    };
    const auto required =
        impl::agree_on_plan(comm, plan_names::padding_exchange, make_schedules,
                            [&](auto& visitor) { visit_arguments(visitor, fields); });
    const std::uint64_t number = impl::state_of(comm)->next_plan();
    for (const FieldExchange& field : fields)
        impl::require_same_labels(comm, plan_names::padding_exchange, field.layout);
    return agree_on(comm, plan_names::padding_exchange, [&] {
        std::vector<PaddingExchangeOptions> options;
        for (const FieldExchange& field : fields) options.push_back(field.options);
        return std::make_shared<impl::PaddingExchangeCore>(
            comm, number, std::move(schedules), std::move(options), one_geometry, required);
    });
}

} // namespace

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                                         const PaddingExchangeOptions& options,
                                         const std::source_location& where)
    : PlanBase(
          plan_names::padding_exchange,
          impl::counted(impl::state_of(comm)->calls(), plan_names::padding_exchange,
                        [&] { return make_core(comm, {FieldExchange{layout, options}}, true); }),
          where) {}

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm,
                                         const std::vector<FieldExchange>& fields,
                                         const std::source_location& where)
    : PlanBase(plan_names::padding_exchange, make_core(comm, fields, false), where) {}

} // namespace distview
