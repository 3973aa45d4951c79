// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

#include "plan/agree_on_plan.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace distview {

namespace {

impl::Digest digest_of(const std::vector<FieldExchange>& fields) {
    impl::Digest digest;
    for (const FieldExchange& field : fields) {
        digest.add(field.layout.fingerprint())
            .add(static_cast<std::uint64_t>(field.options.stencil))
            .add(field.options.widths.has_value());
        if (!field.options.widths) continue;
        for (const Widths widths : *field.options.widths)
            digest.add(static_cast<std::uint64_t>(widths.low))
                .add(static_cast<std::uint64_t>(widths.high));
    }
    return digest.add(fields.size());
}

std::vector<Argument> arguments_of(const std::vector<FieldExchange>& fields) {
    std::vector<Argument> result{{"number of fields", text(fields.size())}};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string field = text(" of field ", i);
        const PaddingExchangeOptions& options = fields[i].options;
        result.push_back({"layout" + field, fields[i].layout.describe()});
        result.push_back({"stencil" + field, text(static_cast<int>(options.stencil))});
        std::string widths = options.widths ? "" : "those of the layout";
        if (options.widths)
            for (const Widths width : *options.widths)
                widths += text('(', width.low, ", ", width.high, ')');
        result.push_back({"widths" + field, widths});
    }
    return result;
}

std::shared_ptr<impl::PaddingExchangeCore>
make_core(const Communicator& comm, const std::vector<FieldExchange>& fields, bool one_geometry) {
    const CollectiveCall call(comm, plan_names::padding_exchange);
    std::vector<PaddingExchangeSchedule> schedules;
    const auto make_schedules = [&] {
        require<UsageError>(!fields.empty(), "PaddingExchangePlan: expected at least one field");
        for (const FieldExchange& field : fields) {
            impl::check_grid(plan_names::padding_exchange, comm, field.layout);
            schedules.emplace_back(field.layout, comm.rank(), field.options);
        }
    };
    const auto required =
        impl::agree_on_plan(comm, plan_names::padding_exchange, make_schedules, digest_of(fields),
                            [&] { return arguments_of(fields); });
    std::vector<PaddingExchangeOptions> options;
    for (const FieldExchange& field : fields) options.push_back(field.options);
    return std::make_shared<impl::PaddingExchangeCore>(comm, std::move(schedules),
                                                       std::move(options), one_geometry, required);
}

} // namespace

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                                         const PaddingExchangeOptions& options,
                                         const std::source_location& where)
    : m_core(plan_names::padding_exchange,
             make_core(comm, {FieldExchange{layout, options}}, true)) {
    m_core->note_made(where);
}

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm,
                                         const std::vector<FieldExchange>& fields,
                                         const std::source_location& where)
    : m_core(plan_names::padding_exchange, make_core(comm, fields, false)) {
    m_core->note_made(where);
}

} // namespace distview
