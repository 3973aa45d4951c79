// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/node_messages.hpp>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

enum Tag { meets, withdraws };
static_assert(Tag::withdraws < NodeMessages::tag_of_none);

} // namespace

NodeMessages::NodeMessages(Calls& calls, MPI_Comm comm, std::vector<int> ranks)
    : m_calls(calls), m_comm(comm), m_ranks(std::move(ranks)) {
    m_place = static_cast<std::size_t>(
        std::lower_bound(m_ranks.begin(), m_ranks.end(), calls.rank()) - m_ranks.begin());
}

/// Other ranks may have left without receiving: buffers of incomplete sends stay, because MPI may still read them.
NodeMessages::~NodeMessages() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    static std::mutex mutex;
    static auto& unsent = *new std::list<Sent>;
    const std::lock_guard lock(mutex);
    for (auto sent = m_sent.begin(); sent != m_sent.end();) {
        int done = 0;
        MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
        const auto next = std::next(sent);
        if (!done) unsent.splice(unsent.end(), m_sent, sent);
        sent = next;
    }
}

void NodeMessages::send(int to, int tag, const MeetingRecord& record) {
    for (auto sent = m_sent.begin(); sent != m_sent.end();) {
        int done = 0;
        check_mpi(MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        sent = done ? m_sent.erase(sent) : std::next(sent);
    }
    Sent& sent = m_sent.emplace_back();
    sent.record = record;
    check_mpi(
        MPI_Isend(&sent.record, sizeof(MeetingRecord), MPI_BYTE, to, tag, m_comm, &sent.request),
        "MPI_Isend");
}

bool NodeMessages::take_message(int from) {
    int found = 0;
    check_mpi(MPI_Iprobe(from, Tag::meets, m_comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    if (!found) return false;
    MeetingRecord record;
    check_mpi(
        MPI_Recv(&record, sizeof(record), MPI_BYTE, from, Tag::meets, m_comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
    m_received[from].push_back(record);
    return true;
}

const MeetingRecord* NodeMessages::find_withdrawal(std::uint64_t attempt) {
    for (int found = 1;;) {
        MPI_Status status;
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, Tag::withdraws, m_comm, &found, &status),
                  "MPI_Iprobe");
        if (!found) break;
        MeetingRecord& record = m_withdrawals.emplace_back();
        check_mpi(MPI_Recv(&record, sizeof(record), MPI_BYTE, status.MPI_SOURCE, Tag::withdraws,
                           m_comm, MPI_STATUS_IGNORE),
                  "MPI_Recv");
    }
    std::erase_if(m_withdrawals, [&](const auto& record) { return record.attempt < attempt; });
    const auto of_attempt =
        std::find_if(m_withdrawals.begin(), m_withdrawals.end(),
                     [&](const auto& record) { return record.attempt == attempt; });
    return of_attempt == m_withdrawals.end() ? nullptr : &*of_attempt;
}

MeetingRecord NodeMessages::receive(int from, const MeetingRecord& mine) {
    std::deque<MeetingRecord>& received = m_received[from];
    constexpr int patience = 1000;
    for (int looks = 0;; ++looks) {
        // Drops messages of earlier attempts, which have failed.
        while (!received.empty() && received.front().attempt < mine.attempt) received.pop_front();
        if (!received.empty()) break;
        if (take_message(from)) continue;
        if (looks < patience && !m_calls.oversubscribed()) continue;
        std::this_thread::yield();
        m_calls.note_far_rank(from);
        m_calls.idle();
        if (const MeetingRecord* const withdrawal = find_withdrawal(mine.attempt)) {
            m_calls.note_far_rank(-1);
            return *withdrawal;
        }
    }
    m_calls.note_far_rank(-1);
    const MeetingRecord theirs = received.front();
    if (theirs.attempt == mine.attempt) received.pop_front();
    return theirs;
}

MeetingRecord NodeMessages::combine(const MeetingRecord& mine) {
    MeetingRecord all = mine;
    const std::size_t count = m_ranks.size();
    for (std::size_t distance = 1; distance < count; distance *= 2) {
        send(m_ranks[(m_place + distance) % count], Tag::meets, all);
        // A node that knows of a difference does not wait: other nodes may not arrive.
        if (all.difference.front() != '\0') continue;
        const MeetingRecord theirs = receive(m_ranks[(m_place + count - distance) % count], all);
        all = combined(all, theirs);
    }
    // A node may have withdrawn after it sent its record. MPI may need several probes to find an arrived message.
    for (int looks = 0; looks < 4 && all.difference.front() == '\0'; ++looks)
        if (const MeetingRecord* const withdrawal = find_withdrawal(mine.attempt))
            all = combined(all, *withdrawal);
    return all;
}

void NodeMessages::withdraw(const MeetingRecord& mine) noexcept {
    try {
        for (const int rank : m_ranks)
            if (rank != m_calls.rank()) send(rank, Tag::withdraws, mine);
    } catch (...) {
        return; // MPI is broken: no message can be sent
    }
}

bool NodeMessages::has_come(std::uint64_t attempt) {
    const std::size_t count = m_ranks.size();
    for (std::size_t distance = 1; distance < count; distance *= 2) {
        const int from = m_ranks[(m_place + count - distance) % count];
        while (take_message(from)) {
        }
        std::deque<MeetingRecord>& received = m_received[from];
        while (!received.empty() && received.front().attempt < attempt) received.pop_front();
        if (!received.empty()) return true;
    }
    return false;
}

} // namespace distview::impl
