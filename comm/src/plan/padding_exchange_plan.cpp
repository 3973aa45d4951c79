// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace distview {

namespace {

constexpr const char* name = "PaddingExchangePlan";

std::uint64_t digest(const std::vector<FieldExchange>& fields) {
    std::uint64_t hash = fields.size();
    const auto add = [&](std::uint64_t value) { hash = hash * 0x9e3779b97f4a7c15u + value + 1; };
    for (const FieldExchange& field : fields) {
        add(field.layout.fingerprint());
        add(static_cast<std::uint64_t>(field.options.stencil));
        add(field.options.widths.has_value());
        if (!field.options.widths) continue;
        for (const Widths widths : *field.options.widths) {
            add(static_cast<std::uint64_t>(widths.low));
            add(static_cast<std::uint64_t>(widths.high));
        }
    }
    return hash;
}

std::vector<Argument> arguments_of(const std::vector<FieldExchange>& fields,
                                   std::optional<impl::Transport> required) {
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
    result.push_back(
        {"DISTVIEW_TRANSPORT", required ? std::string(impl::to_string(*required)) : "not set"});
    return result;
}

std::shared_ptr<impl::PaddingExchangeCore>
make_core(const Communicator& comm, const std::vector<FieldExchange>& fields, bool one_geometry) {
    const CollectiveCall call(comm, name);
    std::vector<PaddingExchangeSchedule> schedules;
    std::optional<impl::Transport> required;
    std::exception_ptr failure;
    try {
        require<UsageError>(!fields.empty(), "PaddingExchangePlan: expected at least one field");
        required = impl::required_transport();
        impl::check_available(required);
        for (const FieldExchange& field : fields) {
            impl::check_grid(name, comm, field.layout);
            schedules.emplace_back(field.layout, comm.rank(), field.options);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, name, failure,
          digest(fields) * 31 + (required ? static_cast<std::uint64_t>(*required) + 1 : 0),
          [&] { return arguments_of(fields, required); });
    return std::make_shared<impl::PaddingExchangeCore>(comm, std::move(schedules), one_geometry,
                                                       required);
}

} // namespace

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                                         const PaddingExchangeOptions& options)
    : m_core(name, make_core(comm, {FieldExchange{layout, options}}, true)) {}

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm,
                                         const std::vector<FieldExchange>& fields)
    : m_core(name, make_core(comm, fields, false)) {}

} // namespace distview
