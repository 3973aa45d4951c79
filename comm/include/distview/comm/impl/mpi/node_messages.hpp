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
/// Each node sends to the nodes 1, 2, 4, ... places after it and receives from the nodes as far before it:
/// after log2(nodes) rounds it has all records combined. Every node takes part in every attempt, in order;
/// messages of earlier attempts, for which no node waited, are dropped. A node that withdraws sends a
/// message with a separate tag to all others, which probe for it during waits and once more at the end.
class NodeMessages final : public NodeExchange {
public:
    /// MPI makes progress in a probe only if it finds nothing. Waiting ranks probe for this tag, which no message has.
    static constexpr int tag_of_none = 2;
    static constexpr int tag_of_reports = 3; ///< to rank 0, when a communicator is closed
    /// Users of a communicator get tags from this value on.
    static constexpr int end_of_tags = 4;

    /// `ranks`: the lowest rank of each node, ascending, with this rank among them.
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
    /// False if no message has arrived.
    bool take_message(int from);
    /// Record of a node that has withdrawn from the attempt; null if no such message has arrived.
    const MeetingRecord* find_withdrawal(std::uint64_t attempt);

    Calls& m_calls;
    MPI_Comm m_comm;
    std::vector<int> m_ranks;
    std::size_t m_place = 0;
    std::list<Sent> m_sent;
    std::map<int, std::deque<MeetingRecord>> m_received; ///< records not used yet, by rank
    std::vector<MeetingRecord> m_withdrawals;            ///< from this attempt, or later ones
};

} // namespace distview::impl
