// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/padding_exchange_binding.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* user = "PaddingExchangePlan";

bool fills(const ExchangeCopies::Partner& partner, const LocalBox& box, int rank) {
    return std::any_of(partner.boxes.begin(), partner.boxes.end(), [&](const LocalBox& part) {
        return !is_empty(intersection(part, box, rank), rank);
    });
}

} // namespace

PaddingExchangeBinding::PaddingExchangeBinding(ExchangeKind kind, int process,
                                               const ExchangeParts& parts,
                                               std::span<const Field> fields,
                                               PeerTransports transports, SharedPack shared_pack,
                                               SyncLine* ready, bool crowded,
                                               const DeviceSetting& device)
    : m_kind(kind), m_device(device), m_crowded(crowded), m_transports(std::move(transports)),
      m_copies(
          make_copies(kind, process, parts, fields, m_transports, std::move(shared_pack), device)),
      m_wanted(m_copies.in_place.size()) {
    for (const Field& field : fields) m_identities.push_back(field.identity);
    std::vector<DirectExchange::Source> sources;
    for (const auto& [peer, readable] : m_transports.sources) {
        sources.push_back({peer, readable.ready, readable.done});
        m_direct_peers.push_back(&readable);
    }
    std::vector<DirectExchange::Reader> readers;
    for (const auto& [peer, done] : m_transports.readers) readers.push_back({peer, done});
    m_direct = DirectExchange(user, ready, std::move(sources), std::move(readers), crowded);
}

void PaddingExchangeBinding::make_requests(MPI_Comm comm, int tag) {
    const auto messages = [](const std::vector<ExchangeCopies::Partner>& partners) {
        std::vector<PersistentMessages::Message> result;
        for (const ExchangeCopies::Partner& partner : partners)
            result.push_back({partner.peer, partner.data, partner.bytes});
        return result;
    };
    m_has_messages = !m_copies.sends.empty() || !m_copies.receives.empty();
    m_messages.make({user, comm, tag, m_copies.send_buffer.memory()}, messages(m_copies.sends),
                    messages(m_copies.receives));
}

bool PaddingExchangeBinding::is_for(ExchangeKind kind, std::span<const Field> fields,
                                    const DeviceLayer* layer) const noexcept {
    return kind == m_kind && layer == m_device.layer &&
           std::equal(m_identities.begin(), m_identities.end(), fields.begin(), fields.end(),
                      [](std::uint64_t identity, const Field& field) {
                          return identity == field.identity;
                      });
}

/// Looks once; of direct sources at the wanted ones unless `all` are.
std::optional<PaddingExchangeBinding::Arrived> PaddingExchangeBinding::next_elements(bool all) {
    if (const int source = m_direct.next_arrival(all ? nullptr : &m_wanted); source >= 0) {
        const auto i = static_cast<std::size_t>(source);
        const ExchangeCopies::Partner& from = m_copies.in_place[i];
        m_wanted[i] = 0;
        return Arrived{from.begin, from.end, nullptr};
    }
    if (const int message = m_messages.next_received(); message >= 0) {
        const auto i = static_cast<std::size_t>(message);
        const ExchangeCopies::Partner& from = m_copies.receives[i];
        return Arrived{from.begin, from.end, &from};
    }
    return std::nullopt;
}

void PaddingExchangeBinding::stage(const DeviceQueue& queue, const Arrived& arrived) const {
    if (!arrived.message || m_device.messages != Transport::staged) return;
    const ExchangeCopies::Partner& message = *arrived.message;
    char* const to =
        m_copies.on_device.received.data() + (message.data - m_copies.receive_buffer.data());
    m_device.layer->copy(queue, to, message.data, static_cast<std::size_t>(message.bytes));
}

std::optional<PaddingExchangeBinding::Arrived> PaddingExchangeBinding::wait_for_elements() {
    Waiter waiter(m_crowded);
    Yielder yielder;
    while (m_messages.left() > 0 || m_direct.left() > 0) {
        if (const auto arrived = next_elements(true)) return arrived;
        // Messages that are still under way need this thread: it must not sleep.
        if (m_messages.left() > 0 ? yielder.yield() : m_direct.wait(waiter)) look();
    }
    return std::nullopt;
}

void PaddingExchangeBinding::look() const {
    m_watch.look(
        user, m_direct.progress(),
        // Readers are waited for when all elements have come: until then it is these that are missing.
        [&](const auto& visit) {
            if (m_direct.left() > 0 || m_messages.left() == 0) m_direct.for_each_missing(visit);
        },
        [&](const auto& visit) { m_messages.for_each_missing(visit); });
}

std::optional<PaddingExchangeBinding::Arrived>
PaddingExchangeBinding::wait_for_elements(const LocalBox& box, int rank) {
    Waiter waiter(m_crowded);
    Yielder yielder;
    for (std::size_t i = 0; i < m_wanted.size(); ++i)
        m_wanted[i] =
            !m_direct.is_taken(static_cast<int>(i)) && fills(m_copies.in_place[i], box, rank);
    bool messages_wanted = false;
    for (std::size_t i = 0; i < m_copies.receives.size() && m_messages.left() > 0; ++i)
        messages_wanted = messages_wanted ||
                          (!m_messages.is_received(i) && fills(m_copies.receives[i], box, rank));
    while (messages_wanted || std::count(m_wanted.begin(), m_wanted.end(), char{1}) > 0) {
        if (const auto arrived = next_elements(false)) return arrived;
        if (messages_wanted ? yielder.yield() : m_direct.wait(waiter, &m_wanted)) look();
    }
    return std::nullopt;
}

bool PaddingExchangeBinding::has_all_elements() const {
    return m_direct.all_arrived() && m_messages.all_arrived();
}

void PaddingExchangeBinding::wait_for_readers() {
    Yielder yielder;
    while (m_has_messages && !m_messages.sends_are_done())
        if (yielder.yield()) look();
    Waiter waiter(m_crowded);
    while (!m_direct.readers_done())
        if (m_direct.wait(waiter)) look();
}

std::string PaddingExchangeBinding::describe() const {
    std::string result;
    const auto add = [&](const char* direction, const ExchangeCopies::Partner& partner,
                         std::string_view transport, const char* note = "") {
        result += text("\n  ", direction, " process ", partner.peer, ": ", transport, ", ",
                       partner.bytes, " bytes", note);
    };
    for (std::size_t i = 0; i < m_copies.in_place.size(); ++i)
        add("from", m_copies.in_place[i], to_string(m_direct_peers[i]->transport),
            m_direct_peers[i]->packs_fields() ? ", packed by that process" : "");
    const std::string_view message = to_string(m_device.messages);
    for (const auto& partner : m_copies.receives) add("from", partner, message);
    for (const auto& [peer, done] : m_transports.readers)
        result += text("\n  to process ", peer, ": read in place");
    for (const auto& partner : m_copies.sends) add("to", partner, message);
    return result;
}

} // namespace distview::impl
