// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to be rid of persistent messages: notices to those who wait for some that will not come,
// receives that are taken back, and the end.
#include <distview/comm/impl/persistent_messages.hpp>

#include "message_content.hpp"

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE);
    return inactive != 0;
}

bool all_inactive(const std::vector<MPI_Request>& requests) noexcept {
    return std::all_of(requests.begin(), requests.end(), is_inactive);
}

using Clock = std::chrono::steady_clock;

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

/// One that names a later execution is remembered until then.
void PersistentMessages::take_notice(int process) {
    m_gone = {process, m_notice};
    throw_if_gone();
}

void PersistentMessages::throw_if_gone() const {
    require<UsageError>(!m_gone || m_gone->epoch > m_epoch, [&] {
        return text(m_setting.user, ": process ", m_gone->process,
                    " has abandoned an exchange that this process takes part in");
    });
}

void PersistentMessages::abandon() noexcept {
    if (!std::exchange(m_under_way, false)) return;
    try {
        send_notices();
        take_back_receives();
    } catch (...) {
        // Out of memory, or MPI is broken: nobody is left to tell.
    }
}

/// To those that have not yet taken what lies in an array.
void PersistentMessages::send_notices() {
    std::set<int> peers;
    for (std::size_t i = 0; i < m_sends.size(); ++i)
        if (m_sent_messages[i].in_array && !is_inactive(m_sends[i]))
            peers.insert(m_sent_messages[i].peer);
    send_notices(peers);
}

void PersistentMessages::send_notices(const std::set<int>& peers) {
    const auto epoch = std::make_shared<std::uint64_t>(m_epoch);
    m_held.push_back(epoch);
    for (const int peer : peers)
        check_mpi(MPI_Isend(epoch.get(), 1, MPI_UINT64_T, peer, m_setting.notice_tag,
                            m_setting.comm, &m_sends.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Isend");
}

void PersistentMessages::refuse(std::uint64_t epoch) noexcept {
    try {
        start_receives();
        m_under_way = false;
        m_epoch = epoch;
        std::set<int> peers;
        for (const Message& message : m_sent_messages) peers.insert(message.peer);
        send_notices(peers);
    } catch (...) {
        // As in abandon().
    }
}

void PersistentMessages::take_back_receives() {
    // From the last to the first, so that no message meets the request of an earlier one.
    for (std::size_t i = receive_count(); i-- > 0;)
        if (m_late[i] && !is_inactive(receive(i))) MPI_Cancel(&receive(i));
    const Clock::time_point deadline = end_of_grace();
    for (std::size_t i = 0; i < receive_count(); ++i) {
        if (!m_late[i]) continue;
        while (!is_inactive(receive(i)) && Clock::now() < deadline) std::this_thread::yield();
        MPI_Status status;
        int completed = 0;
        int open = m_late_started ? 0 : 1;
        check_mpi(MPI_Test(&receive(i), &completed, &status), "MPI_Test");
        if (completed && !open) check_mpi(MPI_Test_cancelled(&status, &open), "MPI_Test_cancelled");
        if (!open) continue;
        const Message& from = m_received_messages[i];
        const MessageBuffer buffer(static_cast<std::size_t>(from.bytes));
        m_held.push_back(buffer.memory());
        MPI_Request_free(&receive(i));
        const MessageContent content(buffer.data(), from);
        check_mpi(MPI_Irecv(content.start(), content.count(), content.type(), from.peer,
                            m_setting.tag, m_setting.comm, &receive(i)),
                  "MPI_Irecv");
    }
}

/// is_inactive() also makes MPI progress.
void PersistentMessages::settle(Time deadline) const noexcept {
    while (!(all_inactive(m_receives) && all_inactive(m_sends)) && Clock::now() < deadline)
        std::this_thread::yield();
}

void PersistentMessages::close(Time deadline) noexcept {
    if (!m_receives.empty() && first_message() > 0) cancel(m_receives.front());
    // Only an abandoned execution leaves requests active. Its neighbours may still wait for this
    // process to take or give a message; those that never began will not come.
    settle(deadline);
    for (MPI_Request& request : m_receives) cancel(request);
    // A peer may still be reading a message that it cannot cancel: the memory stays to the end.
    if (!all_inactive(m_sends)) {
        static auto& undelivered = *new std::vector<std::shared_ptr<void>>;
        undelivered.push_back(std::move(m_setting.sent));
        undelivered.insert(undelivered.end(), m_held.begin(), m_held.end());
    }
    m_held.clear();
    free_requests(m_receives);
    free_requests(m_sends);
}

} // namespace distview::impl
