// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/padding_exchange_binding.hpp>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE);
    return inactive != 0;
}

void free_requests(std::vector<MPI_Request>& requests) noexcept {
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests.clear();
}

/// Lets MPI work for others: a neighbour that waits for a message of ours does not arrive before.
void make_progress(MPI_Comm comm) {
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE),
              "MPI_Iprobe");
}

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
                                               SyncLine* ready, bool crowded)
    : m_kind(kind), m_crowded(crowded), m_transports(std::move(transports)),
      m_copies(make_copies(kind, process, parts, fields, m_transports, std::move(shared_pack))),
      m_received(m_copies.receives.size()), m_wanted(m_copies.in_place.size()) {
    for (const Field& field : fields) m_identities.push_back(field.identity);
    std::vector<DirectExchange::Source> sources;
    for (const auto& [peer, readable] : m_transports.sources) {
        sources.push_back({peer, readable.ready, readable.done});
        m_direct_peers.push_back(&readable);
    }
    std::vector<DirectExchange::Reader> readers;
    for (const auto& [peer, done] : m_transports.readers) readers.push_back({peer, done});
    m_direct = DirectExchange(ready, std::move(sources), std::move(readers), crowded);
}

PaddingExchangeBinding::~PaddingExchangeBinding() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) close();
}

/// Lets MPI complete what is under way, for as long as a neighbour that has started its part of the
/// exchange may need; is_inactive() also makes MPI progress.
void PaddingExchangeBinding::settle() const noexcept {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(2);
    const auto all_inactive = [](const std::vector<MPI_Request>& requests) {
        return std::all_of(requests.begin(), requests.end(), is_inactive);
    };
    while (!(all_inactive(m_receive_requests) && all_inactive(m_send_requests)) &&
           Clock::now() < deadline)
        std::this_thread::yield();
}

void PaddingExchangeBinding::close() noexcept {
    // Only an abandoned exchange leaves requests active. Its neighbours may still wait for this
    // process to take or give a message; those that never began will not come.
    settle();
    for (MPI_Request& request : m_receive_requests) {
        if (is_inactive(request)) continue;
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // A peer may still be reading a message that it cannot cancel: the memory stays to the end.
    if (!std::all_of(m_send_requests.begin(), m_send_requests.end(), is_inactive)) {
        static auto& undelivered = *new std::vector<MessageBuffer>;
        undelivered.push_back(std::move(m_copies.send_buffer));
    }
    free_requests(m_receive_requests);
    free_requests(m_send_requests);
}

void PaddingExchangeBinding::make_requests(MPI_Comm comm, int tag) {
    m_comm = comm;
    m_send_requests.assign(m_copies.sends.size(), MPI_REQUEST_NULL);
    m_receive_requests.assign(m_copies.receives.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < m_send_requests.size(); ++i) {
        const ExchangeCopies::Partner& to = m_copies.sends[i];
        check_mpi(MPI_Send_init(m_copies.send_buffer.data() + to.offset, static_cast<int>(to.bytes),
                                MPI_BYTE, to.peer, tag, comm, &m_send_requests[i]),
                  "MPI_Send_init");
    }
    for (std::size_t i = 0; i < m_receive_requests.size(); ++i) {
        const ExchangeCopies::Partner& from = m_copies.receives[i];
        check_mpi(MPI_Recv_init(m_copies.receive_buffer.data() + from.offset,
                                static_cast<int>(from.bytes), MPI_BYTE, from.peer, tag, comm,
                                &m_receive_requests[i]),
                  "MPI_Recv_init");
    }
}

bool PaddingExchangeBinding::is_for(ExchangeKind kind,
                                    std::span<const Field> fields) const noexcept {
    return kind == m_kind &&
           std::equal(m_identities.begin(), m_identities.end(), fields.begin(), fields.end(),
                      [](std::uint64_t identity, const Field& field) {
                          return identity == field.identity;
                      });
}

void PaddingExchangeBinding::post_receives() {
    m_messages_left = m_receive_requests.size();
    if (m_receive_requests.empty()) return;
    std::fill(m_received.begin(), m_received.end(), char{0});
    check_mpi(MPI_Startall(static_cast<int>(m_receive_requests.size()), m_receive_requests.data()),
              "MPI_Startall");
}

void PaddingExchangeBinding::start_sends(std::uint64_t epoch) {
    m_direct.begin(epoch);
    if (m_send_requests.empty()) return;
    check_mpi(MPI_Startall(static_cast<int>(m_send_requests.size()), m_send_requests.data()),
              "MPI_Startall");
}

/// Index of a message that has arrived and was not returned yet, -1 if there is none now.
int PaddingExchangeBinding::next_message(bool may_wait) {
    const auto count = static_cast<int>(m_receive_requests.size());
    int index = MPI_UNDEFINED;
    int found = 1;
    if (may_wait)
        check_mpi(MPI_Waitany(count, m_receive_requests.data(), &index, MPI_STATUS_IGNORE),
                  "MPI_Waitany");
    else
        check_mpi(MPI_Testany(count, m_receive_requests.data(), &index, &found, MPI_STATUS_IGNORE),
                  "MPI_Testany");
    return found && index != MPI_UNDEFINED ? index : -1;
}

/// Looks once; of direct sources at the wanted ones unless `all` are.
std::optional<PaddingExchangeBinding::Arrived> PaddingExchangeBinding::next_elements(bool all) {
    if (const int source = m_direct.next_arrival(all ? nullptr : &m_wanted); source >= 0) {
        const auto i = static_cast<std::size_t>(source);
        const ExchangeCopies::Partner& from = m_copies.in_place[i];
        m_wanted[i] = 0;
        const bool foreign = m_direct_peers[i]->transport == Transport::cma;
        return Arrived{from.begin, from.end, foreign ? &m_direct_peers[i]->process : nullptr};
    }
    if (m_messages_left == 0) return std::nullopt;
    // If nothing else can come meanwhile, MPI does the waiting.
    if (const int message = next_message(all && m_direct.left() == 0); message >= 0) {
        --m_messages_left;
        const auto i = static_cast<std::size_t>(message);
        m_received[i] = 1;
        return Arrived{m_copies.receives[i].begin, m_copies.receives[i].end, nullptr};
    }
    return std::nullopt;
}

std::optional<PaddingExchangeBinding::Arrived> PaddingExchangeBinding::wait_for_elements() {
    Waiter waiter(m_crowded);
    while (m_messages_left > 0 || m_direct.left() > 0) {
        if (const auto arrived = next_elements(true)) return arrived;
        // Messages that are still under way need this thread: it must not sleep.
        if (m_messages_left > 0)
            std::this_thread::yield();
        else if (m_direct.wait(waiter))
            make_progress(m_comm);
    }
    return std::nullopt;
}

std::optional<PaddingExchangeBinding::Arrived>
PaddingExchangeBinding::wait_for_elements(const LocalBox& box, int rank) {
    Waiter waiter(m_crowded);
    for (std::size_t i = 0; i < m_wanted.size(); ++i)
        m_wanted[i] =
            !m_direct.is_taken(static_cast<int>(i)) && fills(m_copies.in_place[i], box, rank);
    bool messages_wanted = false;
    for (std::size_t i = 0; i < m_received.size(); ++i)
        messages_wanted = messages_wanted || (m_messages_left > 0 && m_received[i] == 0 &&
                                              fills(m_copies.receives[i], box, rank));
    while (messages_wanted || std::count(m_wanted.begin(), m_wanted.end(), char{1}) > 0) {
        if (const auto arrived = next_elements(false)) return arrived;
        if (messages_wanted)
            std::this_thread::yield();
        else if (m_direct.wait(waiter, &m_wanted))
            make_progress(m_comm);
    }
    return std::nullopt;
}

bool PaddingExchangeBinding::has_all_elements() const {
    if (!m_direct.all_arrived()) return false;
    for (std::size_t i = 0; i < m_receive_requests.size() && m_messages_left > 0; ++i) {
        int arrived = 1;
        check_mpi(MPI_Request_get_status(m_receive_requests[i], &arrived, MPI_STATUS_IGNORE),
                  "MPI_Request_get_status");
        if (!arrived) return false;
    }
    return true;
}

void PaddingExchangeBinding::wait_for_readers() {
    if (!m_send_requests.empty())
        check_mpi(MPI_Waitall(static_cast<int>(m_send_requests.size()), m_send_requests.data(),
                              MPI_STATUSES_IGNORE),
                  "MPI_Waitall");
    Waiter waiter(m_crowded);
    while (!m_direct.readers_done())
        if (m_direct.wait(waiter)) make_progress(m_comm);
}

std::string PaddingExchangeBinding::describe() const {
    std::string result;
    const auto add = [&](const char* direction, const ExchangeCopies::Partner& partner,
                         std::string_view transport) {
        result += text("\n  ", direction, " process ", partner.peer, ": ", transport, ", ",
                       partner.bytes, " bytes");
    };
    for (std::size_t i = 0; i < m_copies.in_place.size(); ++i)
        add("from", m_copies.in_place[i], to_string(m_direct_peers[i]->transport));
    for (const auto& partner : m_copies.receives) add("from", partner, "message");
    for (const auto& [peer, done] : m_transports.readers)
        result += text("\n  to process ", peer, ": read in place");
    for (const auto& partner : m_copies.sends) add("to", partner, "message");
    return result;
}

} // namespace distview::impl
