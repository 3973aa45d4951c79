// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/padding_exchange_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/field_arguments.hpp>
#include <distview/comm/impl/free_number.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <exception>
#include <sstream>

namespace distview::impl {

namespace {

constexpr const char* name = "PaddingExchangePlan";
/// Sets of arrays that a plan remembers; a program that steps through more makes a plan for each.
constexpr std::size_t most_bindings = 32;

const auto sends_of = [](const auto& schedule) { return schedule.sends(); };
const auto receives_of = [](const auto& schedule) { return schedule.receives(); };

/// Peers of all schedules together, ascending.
template <class Messages>
std::vector<int> all_peers(const std::vector<PaddingExchangeSchedule>& schedules,
                           Messages messages) {
    std::vector<int> result;
    for (const PaddingExchangeSchedule& schedule : schedules)
        for (const PaddingExchangeSchedule::Message& message : messages(schedule))
            result.push_back(message.peer);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace

PaddingExchangeEngine::PaddingExchangeEngine(const Communicator& comm,
                                             std::vector<PaddingExchangeSchedule> schedules,
                                             bool one_geometry, std::optional<Transport> required)
    : m_comm(comm), m_schedules(std::move(schedules)),
      m_inner_cells(m_schedules.front().inner_cells()),
      m_outer_cells(m_schedules.front().outer_cells()), m_one_geometry(one_geometry),
      m_required(required), m_crowded(comm.state()->crowded()), m_calls(&comm.state()->calls()),
      m_number(comm.state()->next_plan()) {}

PaddingExchangeEngine::~PaddingExchangeEngine() {
    // Neighbours may still read the buffers, and write how far they are.
    if (m_unread) keep(m_unread);
    if (!m_unusable && !m_unread) return;
    for (const std::optional<PlanLines>& lines : m_lines)
        if (lines && lines->memory() && is_open()) m_comm.state()->keep_memory(lines->memory());
}

/// Until the communicator closes.
void PaddingExchangeEngine::keep(const PaddingExchangeBinding* kept) noexcept {
    for (const auto& binding : m_bindings)
        if (binding.get() == kept && is_open()) m_comm.state()->keep(binding);
}

std::vector<int> PaddingExchangeEngine::send_peers() const {
    return all_peers(m_schedules, sends_of);
}

std::vector<int> PaddingExchangeEngine::receive_peers() const {
    return all_peers(m_schedules, receives_of);
}

void PaddingExchangeEngine::check(std::span<const Field> fields, DeviceLayer* layer) const {
    require<UsageError>(
        m_one_geometry ? !fields.empty() : fields.size() == m_schedules.size(), [&] {
            const std::string expected =
                m_one_geometry ? "at least 1 field" : text(m_schedules.size(), " fields");
            return text(name, ": expected ", expected, ", got ", fields.size());
        });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const PaddingExchangeSchedule& schedule = schedule_of(i);
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
        require<ShapeError>(layer || fields[i].host_accessible, [&] {
            return text(name, ": field ", i, " is in memory that the host cannot access");
        });
        require<ShapeError>(!layer || !fields[i].data || layer->reaches(fields[i].data), [&] {
            return text(name, ": field ", i, " is in memory that the device cannot access");
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
    require<UsageError>(is_open(), "PaddingExchangePlan: the communicator has been closed");
}

/// The binding of these arrays, null if they are new.
PaddingExchangeBinding* PaddingExchangeEngine::find(ExchangeKind kind,
                                                    std::span<const Field> fields,
                                                    const DeviceLayer* layer) noexcept {
    // Mostly the same set again.
    if (m_latest && m_latest->is_for(kind, fields, layer)) return m_latest;
    const auto known = std::find_if(m_bindings.begin(), m_bindings.end(), [&](const auto& binding) {
        return binding->is_for(kind, fields, layer);
    });
    return known == m_bindings.end() ? nullptr : known->get();
}

PaddingExchangeBinding& PaddingExchangeEngine::use(PaddingExchangeBinding& binding) noexcept {
    binding.last_used = ++m_clock;
    m_latest = &binding;
    return binding;
}

PaddingExchangeBinding& PaddingExchangeEngine::make_binding(ExchangeKind kind,
                                                            std::span<const Field> fields,
                                                            DeviceLayer* layer, bool to_begin) {
    const bool to_fill = kind == ExchangeKind::fill;
    std::optional<PlanLines>& lines = m_lines[to_fill ? 0 : 1];
    ExchangeParts parts;
    SharedPack shared_pack;
    DeviceSetting device;
    std::exception_ptr failure;
    std::uint64_t digest = fields.size() * 2 + (to_fill ? 0 : 1);
    try {
        check_ready(to_begin);
        check(fields, layer);
        device = device_setting(layer, m_required, name);
        if (!lines) lines.emplace(*m_comm.state(), to_fill ? send_peers() : receive_peers());
        // Here, where a lack of memory is still agreed on before anybody waits for a neighbour.
        parts = make_parts(kind, m_schedules, fields);
        if (!layer && m_required != Transport::message)
            shared_pack = SharedPack(*m_comm.state(), kind, parts, fields);
    } catch (...) {
        failure = std::current_exception();
    }
    for (const Field& field : fields) digest = digest * 0x9e3779b97f4a7c15u + field.element_code;
    agree_on_all(m_comm, name, {failure, digest, arrays_of(*m_comm.state(), fields, {}), 0},
                 [&] { return arguments_of(fields, {}); });

    // Tags are dealt out collectively, hence before anything local can fail.
    CommunicatorState& state = *m_comm.state();
    const int tag = state.next_tag();
    std::shared_ptr<PaddingExchangeBinding> binding;
    try {
        OfferedPacks packs{{}, !shared_pack.lacks_memory()};
        for (const int reader : lines->readers()) packs.packs.push_back(shared_pack.of(reader));
        PeerTransports transports =
            find_transports(state, name, tag, fields, packs,
                            to_fill ? receive_peers() : send_peers(), *lines, m_required, layer);
        binding = std::make_shared<PaddingExchangeBinding>(
            kind, m_comm.rank(), parts, fields, std::move(transports), std::move(shared_pack),
            lines->ready(), m_crowded, device);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(m_comm, name, failure);
    binding->make_requests(m_comm.mpi(), tag);
    state.add(binding);
    if (m_bindings.size() >= most_bindings) drop_oldest_binding();
    binding->number = free_number(m_bindings);
    m_bindings.push_back(binding);
    return use(*binding);
}

CallWord PaddingExchangeEngine::word_of(CallWord::Kind kind,
                                        const PaddingExchangeBinding* binding) const noexcept {
    return CallWord::of_plan(kind, m_number, binding ? binding->number & 0xff : CallWord::new_set);
}

PaddingExchangeBinding&
PaddingExchangeEngine::bind(ExchangeKind kind, std::span<const Field> fields, DeviceLayer* layer) {
    PaddingExchangeBinding* const known = find(kind, fields, layer);
    return in_call(*m_calls, word_of(CallWord::Kind::bind, known), [&]() -> auto& {
        if (known) check_ready(false);
        return known ? use(*known) : make_binding(kind, fields, layer, false);
    });
}

/// Spares those that are in use.
void PaddingExchangeEngine::drop_oldest_binding() {
    const auto age = [&](const std::shared_ptr<PaddingExchangeBinding>& binding) {
        const bool in_use = binding.get() == m_active || binding.get() == m_unread;
        return in_use ? 0 : m_clock - binding->last_used + 1;
    };
    m_latest = nullptr;
    m_bindings.erase(
        std::max_element(m_bindings.begin(), m_bindings.end(),
                         [&](const auto& a, const auto& b) { return age(a) < age(b); }));
}

PaddingExchangeBinding&
PaddingExchangeEngine::begin(ExchangeKind kind, std::span<const Field> fields, DeviceLayer* layer) {
    PaddingExchangeBinding* const known = find(kind, fields, layer);
    const CallWord word =
        word_of(kind == ExchangeKind::fill ? CallWord::Kind::fill : CallWord::Kind::combine, known);
    // What this rank alone misuses is no call; that a plan is unusable others may still have to find out.
    if (known && !m_unusable) check_ready(true);
    return in_call(*m_calls, word, [&]() -> auto& {
        if (known && m_unusable) check_ready(true);
        PaddingExchangeBinding& binding =
            known ? use(*known) : make_binding(kind, fields, layer, true);
        if (m_unread) wait_for_readers();
        m_active = &binding;
        m_epoch = next_epoch(m_epoch, binding.number);
        binding.set_call(*m_calls);
        return binding;
    });
}

PaddingExchangeBinding& PaddingExchangeEngine::active() {
    require<UsageError>(is_open(), "ExchangeHandle::finish: the communicator has been closed");
    return *m_active;
}

void PaddingExchangeEngine::wait_for_readers() {
    if (!m_unread) return;
    require<UsageError>(is_open(), "PaddingExchangePlan: the communicator has been closed");
    try {
        m_unread->wait_for_readers();
    } catch (...) {
        m_unusable = true;
        m_calls->mark_failed(m_unread->call().call);
        // So that others who wait for this process, in this execution or the next one, learn of it.
        m_unread->leave();
        for (const auto& binding : m_bindings)
            if (is_open()) binding->send_end();
        throw;
    }
    m_unread = nullptr;
}

void PaddingExchangeEngine::abandon() noexcept {
    m_unusable = true;
    if (m_active) {
        m_calls->mark_failed(m_active->call().call);
        m_active->leave();
        for (const auto& binding : m_bindings)
            if (binding.get() != m_active && is_open()) binding->send_end();
        // MPI may still read and write the buffers: they stay until the communicator closes.
        keep(m_active);
    }
    m_active = nullptr;
}

std::size_t PaddingExchangeEngine::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings)
        bytes += binding->copies().send_buffer.size() + binding->copies().receive_buffer.size() +
                 binding->copies().on_device.received.size();
    return bytes;
}

std::string PaddingExchangeEngine::describe() const {
    std::ostringstream out;
    out << "padding exchange; transports allowed: "
        << (m_required ? to_string(*m_required) : "direct, message");
    for (std::size_t i = 0; i < m_schedules.size(); ++i) {
        out << '\n' << (m_one_geometry ? "every field: " : text("field ", i, ": "));
        out << m_schedules[i].layout().describe() << '\n' << m_schedules[i].describe();
    }
    int set = 0;
    for (const auto& binding : m_bindings)
        out << "\nbound set " << set++ << " of " << binding->field_count()
            << (binding->field_count() == 1 ? " field:" : " fields:") << binding->describe();
    return out.str();
}

} // namespace distview::impl
