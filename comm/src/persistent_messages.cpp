// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/persistent_messages.hpp>

#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

constexpr auto line = static_cast<std::int64_t>(MessageBuffer::alignment);

constexpr bool fits_int(std::int64_t bytes) { return bytes <= std::numeric_limits<int>::max(); }

constexpr std::int64_t lines(std::int64_t bytes) { return (bytes + line - 1) / line; }

/// How MPI is told of a message of so many bytes.
class Unit {
public:
    explicit Unit(std::int64_t bytes)
        : m_count(static_cast<int>(fits_int(bytes) ? bytes : lines(bytes))) {
        if (fits_int(bytes)) return;
        check_mpi(MPI_Type_contiguous(static_cast<int>(line), MPI_BYTE, &m_line),
                  "MPI_Type_contiguous");
        check_mpi(MPI_Type_commit(&m_line), "MPI_Type_commit");
    }
    ~Unit() {
        if (m_line != MPI_DATATYPE_NULL) MPI_Type_free(&m_line); // requests keep what they need
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    int count() const noexcept { return m_count; }
    MPI_Datatype type() const noexcept { return m_line == MPI_DATATYPE_NULL ? MPI_BYTE : m_line; }

private:
    int m_count;
    MPI_Datatype m_line = MPI_DATATYPE_NULL;
};

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE);
    return inactive != 0;
}

bool all_inactive(const std::vector<MPI_Request>& requests) noexcept {
    return std::all_of(requests.begin(), requests.end(), is_inactive);
}

void start_all(std::vector<MPI_Request>& requests) {
    if (requests.empty()) return;
    check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
}

void free_requests(std::vector<MPI_Request>& requests) noexcept {
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests.clear();
}

} // namespace

void PersistentMessages::require_countable(std::int64_t bytes, const char* caller) {
    message_count(fits_int(bytes) ? bytes : lines(bytes), caller);
}

PersistentMessages::~PersistentMessages() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) close();
}

void PersistentMessages::make(MPI_Comm comm, int tag, std::span<const Message> sends,
                              std::span<const Message> receives, std::shared_ptr<void> sent) {
    m_sent = std::move(sent);
    m_sends.assign(sends.size(), MPI_REQUEST_NULL);
    m_receives.assign(receives.size(), MPI_REQUEST_NULL);
    m_received.assign(receives.size(), char{0});
    for (std::size_t i = 0; i < sends.size(); ++i) {
        const Unit unit(sends[i].bytes);
        check_mpi(MPI_Send_init(sends[i].data, unit.count(), unit.type(), sends[i].peer, tag, comm,
                                &m_sends[i]),
                  "MPI_Send_init");
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
        const Unit unit(receives[i].bytes);
        check_mpi(MPI_Recv_init(receives[i].data, unit.count(), unit.type(), receives[i].peer, tag,
                                comm, &m_receives[i]),
                  "MPI_Recv_init");
    }
}

void PersistentMessages::start_receives() {
    m_left = m_receives.size();
    std::fill(m_received.begin(), m_received.end(), char{0});
    start_all(m_receives);
}

void PersistentMessages::start_sends() { start_all(m_sends); }

int PersistentMessages::next_received(bool may_wait) {
    const auto count = static_cast<int>(m_receives.size());
    int index = MPI_UNDEFINED;
    int found = 1;
    if (m_left == 0) return none_yet;
    if (may_wait)
        check_mpi(MPI_Waitany(count, m_receives.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
    else
        check_mpi(MPI_Testany(count, m_receives.data(), &index, &found, MPI_STATUS_IGNORE),
                  "MPI_Testany");
    if (!found || index == MPI_UNDEFINED) return none_yet;
    --m_left;
    m_received[static_cast<std::size_t>(index)] = 1;
    return index;
}

bool PersistentMessages::all_arrived() const {
    for (std::size_t i = 0; i < m_receives.size() && m_left > 0; ++i) {
        int arrived = 1;
        check_mpi(MPI_Request_get_status(m_receives[i], &arrived, MPI_STATUS_IGNORE),
                  "MPI_Request_get_status");
        if (!arrived) return false;
    }
    return true;
}

void PersistentMessages::wait_for_sends() {
    if (m_sends.empty()) return;
    check_mpi(MPI_Waitall(static_cast<int>(m_sends.size()), m_sends.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
}

/// is_inactive() also makes MPI progress.
void PersistentMessages::settle() const noexcept {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(2);
    while (!(all_inactive(m_receives) && all_inactive(m_sends)) && Clock::now() < deadline)
        std::this_thread::yield();
}

void PersistentMessages::close() noexcept {
    // Only an abandoned execution leaves requests active. Its neighbours may still wait for this
    // process to take or give a message; those that never began will not come.
    settle();
    for (MPI_Request& request : m_receives) {
        if (is_inactive(request)) continue;
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // A peer may still be reading a message that it cannot cancel: the memory stays to the end.
    if (!all_inactive(m_sends)) {
        static auto& undelivered = *new std::vector<std::shared_ptr<void>>;
        undelivered.push_back(std::move(m_sent));
    }
    free_requests(m_receives);
    free_requests(m_sends);
}

} // namespace distview::impl
