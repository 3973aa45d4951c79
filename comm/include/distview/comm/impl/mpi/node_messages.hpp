// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/mpi/meeting.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <vector>

namespace distview::impl {

/// Meetings of several nodes, by messages between their lowest ranks.
///
/// Each sends to those 1, 2, 4, ... places after it and hears from those before it, and so from all
/// after log2(nodes) rounds. Every node takes part in every attempt, in order: messages of earlier
/// ones are those that nobody waited for, and are dropped. A node that withdraws tells all others, with a tag of
/// its own, which they look at where they wait and once more at the end.
class NodeMessages final : public NodeExchange {
public:
    /// A probe lets MPI work only if it finds nothing: who waits probes for this tag, which no message has.
    static constexpr int tag_of_none = 2;
    static constexpr int tag_of_reports = 3; ///< to rank 0, when a communicator is closed
    /// Users of a communicator get tags from this one on.
    static constexpr int end_of_tags = 4;

    /// `ranks`: that speak for their nodes, ascending; this one is among them.
    NodeMessages(Calls& calls, MPI_Comm comm, std::vector<int> ranks);
    ~NodeMessages() override;

    MeetingRecord combine(const MeetingRecord& mine) override;
    void withdraw(const MeetingRecord& mine) noexcept override;
    bool has_come(std::uint64_t attempt) override;

private:
    struct Sent {
        MPI_Request request = MPI_REQUEST_NULL;
        MeetingRecord record{};
    };
    void send(int to, int tag, const MeetingRecord& record);
    MeetingRecord receive(int from, const MeetingRecord& mine);
    /// False if nothing has come.
    bool take_message(int from);
    /// Record of a node that has withdrawn from the attempt; null if none has told.
    const MeetingRecord* find_withdrawal(std::uint64_t attempt);

    Calls& m_calls;
    MPI_Comm m_comm;
    std::vector<int> m_ranks;
    std::size_t m_place = 0;
    std::list<Sent> m_sent;
    std::map<int, std::deque<MeetingRecord>> m_received; ///< not used yet, by rank
    std::vector<MeetingRecord> m_withdrawals;            ///< from this attempt, or later ones
};

} // namespace distview::impl
