// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/exchange_binding.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <string_view>

namespace distview::impl {

namespace {

bool fills(const Incoming& incoming, const LocalBox& box, int rank) {
    return std::any_of(incoming.boxes.begin(), incoming.boxes.end(), [&](const LocalBox& part) {
        return !is_empty(intersection(part, box, rank), rank);
    });
}

} // namespace

void note_checked(std::span<const PaddingEffect> effects) noexcept {
    for (const PaddingEffect& effect : effects) {
        if (!effect.array->checked) continue;
        CheckedSection& section = *effect.array->checked;
        if (effect.fills)
            note_filled(section, effect.filled, effect.plan);
        else if (effect.after == ValidPadding())
            forget(section);
        else
            note_valid(section, effect.after); // bound before the array was checked
    }
}

void append_batch(std::vector<Batch>& batches, const Batch& batch) {
    if (batch.begin == batch.end) return;
    if (!batches.empty() && batches.back().field == batch.field &&
        batches.back().kind == batch.kind && batches.back().end == batch.begin)
        batches.back().end = batch.end;
    else
        batches.push_back(batch);
}

ExchangeBinding::ExchangeBinding(const Setting& setting, PeerTransports transports,
                                 ExchangeProgram program)
    : m_setting(setting), m_transports(std::move(transports)), m_program(std::move(program)),
      m_has_messages(!m_program.sends.empty() || !m_program.received.empty()),
      m_wanted(m_transports.sources.size()) {
    std::vector<DirectExchange::Source> sources;
    for (const auto& [peer, readable] : m_transports.sources)
        sources.push_back({peer, readable.ready, readable.done});
    std::vector<DirectExchange::Reader> readers;
    for (const auto& [peer, done] : m_transports.readers) readers.push_back({peer, done});
    m_direct = DirectExchange({.user = m_setting.user,
                               .ready = m_setting.ready,
                               .oversubscribed = m_setting.oversubscribed,
                               .writes = m_program.writes},
                              std::move(sources), std::move(readers));
}

void ExchangeBinding::make_requests(CommunicatorState& comm, int tag,
                                    const std::array<int, 3>& end_tags) {
    for (ExchangeBinding* step = this; step; step = step->next()) {
        std::vector<PersistentMessages::Message> receives;
        for (const Incoming& received : step->m_program.received)
            receives.push_back(received.message);
        step->m_messages.make(
            {m_setting.user, comm.comm(), tag, end_tags, step->m_program.sent, &comm.calls()},
            step->m_program.sends, std::move(receives));
    }
}

void ExchangeBinding::set_key(const ArraySet& arrays) {
    m_variant = arrays.variant;
    m_identities.clear();
    for (const auto& side : {arrays.sources, arrays.targets})
        for (const Field& field : side) m_identities.push_back(field.identity);
}

bool ExchangeBinding::is_for(const ArraySet& arrays) const noexcept {
    const auto is_same = [](std::uint64_t identity, const Field& field) {
        return field.identity == identity;
    };
    if (arrays.variant != m_variant || arrays.layer != m_setting.device.layer ||
        m_identities.size() != arrays.sources.size() + arrays.targets.size())
        return false;
    const auto middle = m_identities.begin() + static_cast<std::ptrdiff_t>(arrays.sources.size());
    // An array whose type changed, or that became read-only, counts as a new set: binding then fails on all ranks.
    return std::equal(m_identities.begin(), middle, arrays.sources.begin(), is_same) &&
           std::equal(middle, m_identities.end(), arrays.targets.begin(), is_same) &&
           arrays.have_right_types();
}

void ExchangeBinding::hold_written(const Arena& arena, std::span<const Field> arrays) {
    for (const Field& array : arrays)
        if (auto owner = arena.owner_of(array.data, 1)) m_written.push_back(std::move(owner));
    m_held.reserve(m_written.size());
}

void ExchangeBinding::hold_memory() noexcept {
    m_held.clear(); // allocates nothing below: hold_written() reserved the memory
    for (const std::weak_ptr<void>& written : m_written) m_held.push_back(written.lock());
}

/// Polls once: the direct sources marked in `wanted`, or all of them if it is null, then messages.
const Incoming* ExchangeBinding::next_elements(const std::vector<char>* wanted) {
    if (const int source = m_direct.next_arrival(wanted); source >= 0) {
        const auto i = static_cast<std::size_t>(source);
        m_wanted[i] = 0;
        const bool all_may_be_written = m_program.writes && m_direct.left() == 0;
        return all_may_be_written ? &m_program.written : &m_program.in_place[i];
    }
    if (const int message = m_messages.next_received(); message >= 0)
        return &m_program.received[static_cast<std::size_t>(message)];
    return nullptr;
}

const Incoming* ExchangeBinding::wait_for_elements() {
    Waiter waiter(m_setting.oversubscribed);
    Yielder yielder(m_setting.oversubscribed);
    while (m_messages.left() > 0 || m_direct.left() > 0) {
        if (const Incoming* const incoming = next_elements(nullptr)) return incoming;
        // MPI makes progress in this thread, which must not sleep while messages are in flight.
        if (m_messages.left() > 0 ? yielder.yield() : m_direct.wait(waiter)) look();
    }
    return nullptr;
}

const Incoming* ExchangeBinding::wait_for_elements(const LocalBox& box) {
    Waiter waiter(m_setting.oversubscribed);
    Yielder yielder(m_setting.oversubscribed);
    for (std::size_t i = 0; i < m_wanted.size(); ++i)
        m_wanted[i] = !m_direct.is_taken(static_cast<int>(i)) &&
                      fills(m_program.in_place[i], box, m_program.rank);
    bool messages_wanted = false;
    for (std::size_t i = 0; i < m_program.received.size() && m_messages.left() > 0; ++i)
        messages_wanted = messages_wanted || (!m_messages.is_received(i) &&
                                              fills(m_program.received[i], box, m_program.rank));
    while (messages_wanted || std::count(m_wanted.begin(), m_wanted.end(), char{1}) > 0) {
        if (const Incoming* const incoming = next_elements(&m_wanted)) return incoming;
        if (messages_wanted ? yielder.yield() : m_direct.wait(waiter, &m_wanted)) look();
    }
    return nullptr;
}

void ExchangeBinding::stage(const DeviceQueue& queue, const Incoming& incoming) const {
    if (!incoming.staged) return;
    m_setting.device.layer->copy(queue, incoming.staged, incoming.message.data,
                                 static_cast<std::size_t>(incoming.message.bytes));
}

void ExchangeBinding::look() const {
    if (m_has_messages) m_messages.look_for_ends();
    m_watch.look(
        m_setting.user, m_direct.progress(),
        // While elements are missing, reports their owners; readers only after all elements have arrived.
        [&](const auto& visit) {
            if (m_direct.left() > 0 || m_messages.left() == 0) m_direct.for_each_missing(visit);
        },
        [&](const auto& visit) { m_messages.for_each_missing(visit); });
}

void ExchangeBinding::wait_for_readers() {
    Yielder yielder(m_setting.oversubscribed);
    while (m_has_messages && !m_messages.sends_are_done())
        if (yielder.yield()) look();
    Waiter waiter(m_setting.oversubscribed);
    while (!m_direct.readers_done())
        if (m_direct.wait(waiter)) look();
    m_held.clear();
    m_under_way = false;
}

bool ExchangeBinding::has_step(const ExchangeBinding* step) const noexcept {
    const ExchangeBinding* mine = this;
    while (mine && mine != step) mine = mine->m_next.get();
    return mine != nullptr && step != nullptr;
}

bool ExchangeBinding::is_over() noexcept {
    try {
        for (ExchangeBinding* step = this; step; step = step->next())
            if (step->m_was_left || (step->m_has_messages && !step->m_messages.sends_are_done()) ||
                !step->m_direct.all_have_read())
                return false;
        return true;
    } catch (const MpiError&) {
        return false;
    }
}

/// Refuses the later steps as well: other ranks would wait for this process there, which does not execute them.
void ExchangeBinding::leave() noexcept {
    m_was_left = true;
    ExchangeBinding* step = this;
    while (step->m_next && !step->m_under_way) step = step->m_next.get();
    step->m_direct.abandon();
    step->m_messages.abandon();
    if (!std::exchange(step->m_under_way, false)) return;
    for (ExchangeBinding* later = step->next(); later; later = later->next()) {
        // Later steps may share lines with the abandoned step: they must not show more progress.
        later->m_direct.refuse(step->m_epoch);
        later->m_messages.refuse();
    }
}

void ExchangeBinding::close(Time deadline) noexcept {
    for (ExchangeBinding* step = this; step; step = step->next()) step->m_messages.close(deadline);
}

std::size_t ExchangeBinding::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const ExchangeBinding* step = this; step; step = step->next())
        bytes += step->m_program.workspace_bytes;
    return bytes;
}

std::string ExchangeBinding::describe() const {
    std::string result;
    for (const ExchangeBinding* step = this; step; step = step->next())
        if (!step->is_later_round)
            result += (step == this ? "" : "\n  then") + step->describe_step();
    return result;
}

std::string ExchangeBinding::describe_step() const {
    std::string result;
    const auto add = [&](const char* direction, int rank, Transport transport, std::int64_t bytes,
                         const std::string& note = {}) {
        result += text("\n  ", direction, " rank ", rank, ": ", to_string(transport), ", ", bytes,
                       " bytes", note);
    };
    const std::string_view shared = to_string(in_place_transport());
    const bool writes = m_program.writes;
    for (const Incoming& from : m_program.in_place)
        if (!writes) add("from", from.rank, in_place_transport(), from.bytes, from.note);
    for (const Incoming& from : m_program.received)
        add("from", from.rank, m_setting.device.messages, from.bytes, from.note);
    for (const auto& [rank, done] : m_transports.readers)
        result += writes
                      ? text("\n  from rank ", rank, ": ", shared, ", written in place")
                      : text("\n  to rank ", rank, ": ", shared,
                             m_program.packs_for_readers ? ", packed for it" : ", read in place");
    for (const auto& [rank, target] : m_transports.sources)
        if (writes) result += text("\n  to rank ", rank, ": ", shared, ", written in place");
    for (const PersistentMessages::Message& to : m_program.sends)
        add("to", to.peer, m_setting.device.messages, to.bytes);
    return result + m_program.note;
}

std::vector<Traffic> ExchangeBinding::traffic() const {
    std::vector<Traffic> result;
    for (const ExchangeBinding* step = this; step; step = step->next())
        step->append_traffic(result);
    return result;
}

void ExchangeBinding::append_traffic(std::vector<Traffic>& traffic) const {
    const auto why_not = [&](int rank) {
        const auto found = m_transports.why_not.find(rank);
        return found == m_transports.why_not.end() ? std::string() : found->second;
    };
    const std::string messages(to_string(m_setting.device.messages));
    if (!is_later_round && m_program.local_bytes > 0)
        traffic.push_back(
            {.transport = std::string(to_string(Transport::self)), .bytes = m_program.local_bytes});
    for (const Incoming& other : m_program.in_place) {
        if (is_later_round) continue; // the first round has the bytes of all rounds
        const ReadablePeer* const source = m_transports.source(other.rank);
        traffic.push_back({.partner = other.rank,
                           .is_sent = m_program.writes,
                           .transport = std::string(to_string(in_place_transport())),
                           .bytes = other.bytes,
                           .is_packed = source && source->packs_fields()});
    }
    for (const Incoming& from : m_program.received)
        traffic.push_back({.partner = from.rank,
                           .transport = messages,
                           .bytes = from.bytes,
                           .messages = 1,
                           .why_not = why_not(from.rank)});
    for (const PersistentMessages::Message& to : m_program.sends)
        traffic.push_back({.partner = to.peer,
                           .is_sent = true,
                           .transport = messages,
                           .bytes = to.bytes,
                           .messages = 1});
}

} // namespace distview::impl
