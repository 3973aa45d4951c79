// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/transport.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

namespace distview {

namespace {

constexpr const char* name = "PaddingExchangePlan";
/// Sets of arrays that a plan remembers; a program that steps through more makes a plan for each.
constexpr std::size_t most_bindings = 32;

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

std::shared_ptr<impl::PaddingExchangeEngine>
make_engine(const Communicator& comm, const std::vector<FieldExchange>& fields, bool one_geometry) {
    std::vector<PaddingExchangeSchedule> schedules;
    std::exception_ptr failure;
    try {
        require<UsageError>(!fields.empty(), "PaddingExchangePlan: expected at least one field");
        choose_transport(required_transport());
        for (const FieldExchange& field : fields) {
            impl::check_grid(name, comm, field.layout);
            schedules.emplace_back(field.layout, comm.rank(), field.options);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, name, failure, digest(fields));
    return std::make_shared<impl::PaddingExchangeEngine>(comm, std::move(schedules), one_geometry);
}

/// Peers of all schedules together.
template <class Messages>
std::vector<int> peers(const std::vector<PaddingExchangeSchedule>& schedules, Messages messages) {
    std::vector<int> result;
    for (const PaddingExchangeSchedule& schedule : schedules)
        for (const PaddingExchangeSchedule::Message& message : messages(schedule))
            result.push_back(message.peer);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                                         const PaddingExchangeOptions& options)
    : m_engine(make_engine(comm, {FieldExchange{layout, options}}, true)) {}

PaddingExchangePlan::PaddingExchangePlan(const Communicator& comm,
                                         const std::vector<FieldExchange>& fields)
    : m_engine(make_engine(comm, fields, false)) {}

std::vector<int> PaddingExchangePlan::send_peers() const {
    return peers(m_engine->schedules(), [](const auto& schedule) { return schedule.sends(); });
}

std::vector<int> PaddingExchangePlan::receive_peers() const {
    return peers(m_engine->schedules(), [](const auto& schedule) { return schedule.receives(); });
}

namespace impl {

PaddingExchangeEngine::PaddingExchangeEngine(const Communicator& comm,
                                             std::vector<PaddingExchangeSchedule> schedules,
                                             bool one_geometry)
    : m_comm(comm), m_schedules(std::move(schedules)), m_one_geometry(one_geometry) {}

void PaddingExchangeEngine::check(std::span<const Field> fields) const {
    require<UsageError>(
        m_one_geometry ? !fields.empty() : fields.size() == m_schedules.size(), [&] {
            const std::string expected =
                m_one_geometry ? "at least 1 field" : text(m_schedules.size(), " fields");
            return text(name, ": expected ", expected, ", got ", fields.size());
        });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const PaddingExchangeSchedule& schedule = m_schedules[m_one_geometry ? 0 : i];
        require<ShapeError>(*fields[i].layout == schedule.layout(), [&] {
            return text(name, ": field ", i, " is a ", fields[i].layout->describe(),
                        "\nthe plan is for a ", schedule.layout().describe());
        });
        require<ShapeError>(fields[i].process == schedule.process(), [&] {
            return text(name, ": field ", i, " is the section of process ", fields[i].process,
                        ", expected that of process ", schedule.process());
        });
        require<ShapeError>(!fields[i].read_only, [&] {
            return text(name, ": field ", i, " is read-only: an exchange writes its padding");
        });
        require<ShapeError>(fields[i].host_accessible, [&] {
            return text(name, ": field ", i, " is in memory that the host cannot access");
        });
    }
}

void PaddingExchangeEngine::check_ready(bool to_begin) const {
    require<UsageError>(!m_unusable,
                        "PaddingExchangePlan: an earlier exchange was abandoned or failed; this "
                        "plan cannot be used again, build a new one");
    require<UsageError>(!to_begin || m_active == nullptr,
                        "PaddingExchangePlan: an exchange is in flight; call finish() on its "
                        "handle first");
    require<UsageError>(m_comm.is_open(), "PaddingExchangePlan: the communicator has been closed");
}

PaddingExchangeBinding& PaddingExchangeEngine::obtain(std::span<const Field> fields,
                                                      bool to_begin) {
    const auto known = std::find_if(m_bindings.begin(), m_bindings.end(),
                                    [&](const auto& binding) { return binding->is_for(fields); });
    if (known != m_bindings.end()) {
        check_ready(to_begin);
        (*known)->last_used = ++m_clock;
        return **known;
    }

    std::shared_ptr<PaddingExchangeBinding> binding;
    std::exception_ptr failure;
    std::uint64_t digest = fields.size();
    try {
        check_ready(to_begin);
        check(fields);
        binding = std::make_shared<PaddingExchangeBinding>(m_schedules, fields);
    } catch (...) {
        failure = std::current_exception();
    }
    for (const Field& field : fields) digest = digest * 0x9e3779b97f4a7c15u + field.element_code;
    agree(m_comm, name, failure, digest);

    // Tags are dealt out collectively, hence before anything local can fail.
    const int tag = m_comm.state()->next_tag();
    binding->make_requests(m_comm.mpi(), tag);
    m_comm.state()->add(binding);
    if (m_bindings.size() >= most_bindings) drop_oldest_binding();
    binding->last_used = ++m_clock;
    m_bindings.push_back(binding);
    return *binding;
}

/// Spares the one in flight.
void PaddingExchangeEngine::drop_oldest_binding() {
    const auto age = [&](const std::shared_ptr<PaddingExchangeBinding>& binding) {
        return binding.get() == m_active ? 0 : m_clock - binding->last_used + 1;
    };
    m_bindings.erase(
        std::max_element(m_bindings.begin(), m_bindings.end(),
                         [&](const auto& a, const auto& b) { return age(a) < age(b); }));
}

PaddingExchangeBinding& PaddingExchangeEngine::begin(std::span<const Field> fields) {
    m_active = &obtain(fields, true);
    return *m_active;
}

PaddingExchangeBinding& PaddingExchangeEngine::active() {
    require<UsageError>(m_comm.is_open(),
                        "ExchangeHandle::finish: the communicator has been closed");
    return *m_active;
}

void PaddingExchangeEngine::abandon() noexcept {
    m_unusable = true;
    for (auto& binding : m_bindings)
        if (binding.get() == m_active) {
            // MPI may still read and write the buffers: they stay until the communicator closes.
            if (m_comm.is_open()) m_comm.state()->keep(binding);
        }
    m_active = nullptr;
}

std::size_t PaddingExchangeEngine::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings) bytes += binding->workspace_bytes();
    return bytes;
}

std::string PaddingExchangeEngine::describe() const {
    std::ostringstream out;
    out << "padding exchange, transport to other processes: "
        << to_string(choose_transport(required_transport()));
    for (std::size_t i = 0; i < m_schedules.size(); ++i) {
        out << '\n' << (m_one_geometry ? "every field: " : text("field ", i, ": "));
        out << m_schedules[i].layout().describe() << '\n' << m_schedules[i].describe();
    }
    return out.str();
}

} // namespace impl

} // namespace distview
