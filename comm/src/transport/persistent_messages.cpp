// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/persistent_messages.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/mpi/process_watch.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>

namespace distview::impl {

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE); // also makes MPI progress
    return inactive != 0;
}

namespace {

/// Unit, in bytes, of messages with more bytes than MPI counts.
constexpr std::int64_t message_line = 64;

constexpr std::int64_t message_lines(std::int64_t bytes) {
    return (bytes + message_line - 1) / message_line;
}

/// Calls make(count, type) with the MPI count and datatype of a message of `bytes`.
template <class Make>
void with_type(std::int64_t bytes, Make&& make) {
    if (std::in_range<int>(bytes)) return make(static_cast<int>(bytes), MPI_BYTE);
    MPI_Datatype line = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_contiguous(static_cast<int>(message_line), MPI_BYTE, &line),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&line), "MPI_Type_commit");
    make(static_cast<int>(message_lines(bytes)), line);
    check_mpi(MPI_Type_free(&line), "MPI_Type_free"); // requests keep it
}

bool all_inactive(const std::vector<MPI_Request>& requests) noexcept {
    return std::all_of(requests.begin(), requests.end(), is_inactive);
}

void cancel(MPI_Request& receive) noexcept {
    if (is_inactive(receive)) return;
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

void free_requests(std::vector<MPI_Request>& requests) noexcept {
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests.clear();
}

} // namespace

std::shared_ptr<char> message_memory(std::int64_t bytes) {
    constexpr std::align_val_t line{message_line};
    const auto size = static_cast<std::size_t>(message_lines(bytes) * message_line);
    return {static_cast<char*>(::operator new(size, line)),
            [](char* data) { ::operator delete(data, line); }};
}

std::pair<std::shared_ptr<char>, std::shared_ptr<char>>
message_buffers(const DeviceSetting& device, std::int64_t bytes, bool received) {
    if (!device.layer || bytes == 0) return {message_memory(bytes), nullptr};
    const auto whole_lines = static_cast<std::size_t>(message_lines(bytes) * message_line);
    if (device.messages == Transport::gpu_message)
        return {device.layer->allocate_device(whole_lines), nullptr};
    // Kernels write directly into page-locked memory, which transfers elements while they pack.
    // If they read from it, they would wait for every load.
    auto pinned = device.layer->allocate_pinned(whole_lines);
    return {std::move(pinned), received ? device.layer->allocate_device(whole_lines) : nullptr};
}

void PersistentMessages::require_countable(std::int64_t bytes, const char* caller) {
    if (!std::in_range<int>(bytes))
        message_count(message_lines(bytes), caller, "lines of 64 bytes");
}

PersistentMessages::~PersistentMessages() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) free(std::chrono::steady_clock::now() + Closable::grace, false);
}

void PersistentMessages::make(Setting setting, std::vector<Message> sends,
                              std::vector<Message> receives) {
    m_setting = std::move(setting);
    m_to = std::move(sends);
    m_from = std::move(receives);
    for (const Message& to : m_to)
        with_type(to.bytes, [&](int count, MPI_Datatype type) {
            check_mpi(MPI_Send_init(to.data, count, type, to.peer, m_setting.tag, m_setting.comm,
                                    &m_sends.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Send_init");
        });
    for (const Message& from : m_from)
        with_type(from.bytes, [&](int count, MPI_Datatype type) {
            check_mpi(MPI_Recv_init(from.data, count, type, from.peer, m_setting.tag,
                                    m_setting.comm, &m_receives.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Recv_init");
        });
    m_stages.assign(m_receives.size(), returned);
    m_arrivals.reserve(m_receives.size());
}

/// Starts receives one by one: MPI_Startall may start them in any order, and messages are matched in the order of starts.
void PersistentMessages::start_receives() {
    m_under_way = true;
    ++m_begun;
    m_left = m_receives.size();
    m_arrivals.clear();
    std::fill(m_stages.begin(), m_stages.end(), awaited);
    for (MPI_Request& receive : m_receives) check_mpi(MPI_Start(&receive), "MPI_Start");
}

void PersistentMessages::start_sends() {
    for (MPI_Request& send : m_sends) check_mpi(MPI_Start(&send), "MPI_Start");
}

/// Uses MPI_Testany: MPICH 4.2 loses the status of a persistent receive that MPI_Request_get_status found completed.
bool PersistentMessages::notes_arrival() {
    int index = MPI_UNDEFINED;
    int found = 1;
    MPI_Status status;
    check_mpi(MPI_Testany(static_cast<int>(m_receives.size()), m_receives.data(), &index, &found,
                          &status),
              "MPI_Testany");
    if (!found || index == MPI_UNDEFINED) return false;
    m_arrivals.push_back({static_cast<std::size_t>(index), status});
    m_stages[m_arrivals.back().message] = arrived;
    return true;
}

int PersistentMessages::next_received() {
    const std::size_t next = m_receives.size() - m_left;
    if (m_left == 0 || (next == m_arrivals.size() && !notes_arrival())) return none_yet;
    const auto& [message, status] = m_arrivals[next];
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes == 0 && m_from[message].bytes != 0) throw_abandoned(status.MPI_SOURCE);
    --m_left;
    m_stages[message] = returned;
    return static_cast<int>(message);
}

void PersistentMessages::throw_abandoned(int peer) const {
    if (peer < 0) // no sender: the communicator was given up
        ProcessWatch::throw_if_ended(ProcessWatch::process_failed);
    if (m_setting.calls) m_setting.calls->before_error();
    throw UsageError(text(m_setting.user, ": rank ", peer,
                          " has abandoned an exchange that this rank takes part in"));
}

bool PersistentMessages::all_arrived() {
    while (m_left > 0 && notes_arrival()) {
    }
    // Testing lets MPI make progress on sends.
    if (m_left == 0) static_cast<void>(all_inactive(m_sends));
    return m_left == 0 || m_arrivals.size() == m_receives.size();
}

bool PersistentMessages::sends_are_done() {
    int done = 1;
    if (!m_sends.empty())
        check_mpi(MPI_Testall(static_cast<int>(m_sends.size()), m_sends.data(), &done,
                              MPI_STATUSES_IGNORE),
                  "MPI_Testall");
    if (done) m_under_way = false;
    return done != 0;
}

void PersistentMessages::look_for_ends() const {
    for (std::size_t i = 0; i < m_sends.size(); ++i) {
        if (is_inactive(m_sends[i])) continue;
        int has_ended = 0;
        check_mpi(MPI_Iprobe(m_to[i].peer, m_setting.end_tags[(m_begun + 2) % 3], m_setting.comm,
                             &has_ended, MPI_STATUS_IGNORE),
                  "MPI_Iprobe");
        if (has_ended) throw_abandoned(m_to[i].peer);
    }
}

void PersistentMessages::refuse() noexcept {
    try {
        start_receives();
    } catch (...) {
        // MPI is broken: no sender can be helped.
    }
    m_under_way = false;
    send_end();
}

void PersistentMessages::send_end() noexcept {
    const auto end = [&](int peer, int tag) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, m_setting.comm, &request);
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    };
    for (const Message& to : m_to) end(to.peer, m_setting.tag);
    for (const Message& from : m_from) end(from.peer, m_setting.end_tags[m_begun % 3]);
}

void PersistentMessages::free(std::chrono::steady_clock::time_point deadline, bool drops) noexcept {
    // Only an abandoned execution leaves requests active. Neighbours may still wait until this
    // process receives or sends a message; a neighbour that never began will not arrive.
    while (!(all_inactive(m_receives) && all_inactive(m_sends)) &&
           std::chrono::steady_clock::now() < deadline) {
        if (drops) drop_messages(m_setting.comm);
        std::this_thread::yield();
    }
    for (MPI_Request& request : m_receives) cancel(request);
    // A peer may still read a message whose send cannot be cancelled: its memory stays to the end.
    if (!all_inactive(m_sends)) {
        static std::mutex mutex; // communicators may be closed by several threads
        static auto& undelivered = *new std::vector<std::shared_ptr<void>>;
        const std::lock_guard lock(mutex);
        undelivered.push_back(std::move(m_setting.sent));
    }
    free_requests(m_receives);
    free_requests(m_sends);
}

} // namespace distview::impl
