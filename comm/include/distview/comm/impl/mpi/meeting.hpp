// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace distview::impl {

/// Meets across nodes: one rank of each node takes part in every attempt. An interface, so that
/// meetings within a node need no MPI.
class NodeExchange {
public:
    virtual ~NodeExchange() = default;
    /// Combines the records of all nodes. If `mine` or another record reports a difference, so
    /// does the result. If a rank of this node reported it, the call does not wait.
    virtual MeetingRecord combine(const MeetingRecord& mine) = 0;
    /// Withdraws this node from the attempt: sends the difference in `mine` to the other nodes, which may
    /// have this node's record. A node that combined all records before this message arrives counts as met.
    virtual void withdraw(const MeetingRecord& mine) noexcept = 0;
    /// Whether another node has reached that attempt.
    virtual bool has_come(std::uint64_t attempt) = 0;
};

/// Makes all ranks of a communicator meet in the same call: no rank leaves before all have
/// arrived, unless one of them makes another call.
///
/// Within a node, every rank reads the records in the lines of all ranks. Across nodes, the lowest rank of each
/// node exchanges its node's record with the other nodes (`between`) and publishes the result on its node.
///
/// Ranks meet in attempts, which all ranks number alike. On a node an attempt has one outcome for
/// all ranks (Outcomes): met, or failed if a rank finds that not all arrive, or wants to leave.
/// If an attempt failed for a call that a rank has passed, that rank goes on to the next attempt.
///
/// After a meeting all ranks are at the same position of the same call: collective calls of MPI can follow.
class Meeting {
public:
    /// `between`: null if all ranks are on this node.
    explicit Meeting(Calls& calls, NodeExchange* between) : m_calls(calls), m_between(between) {}

    /// Combines the records of all ranks. The caller sets `mine.least`; `name` is the purpose of this meeting.
    ///
    /// If not all ranks arrived for the same call, throws UsageError that names the calls, on
    /// all ranks that arrived. An exception of Calls::idle() ends the attempt for all; if all
    /// had already arrived, it is thrown the next time that this rank waits.
    MeetingRecord meet(MeetingRecord mine, std::string_view name);

    /// For a rank that closes the communicator and waits for the others: makes their attempts
    /// to meet fail. Returns false if the communicator is lost.
    bool refuse() noexcept;

    /// Attempts so far, for tests that count them.
    std::uint64_t count() const noexcept { return m_attempt; }

private:
    /// Returns nullopt if the attempt failed for a call that this rank has passed, or waits for others to leave.
    std::optional<MeetingRecord> attempt(MeetingRecord mine, int tries);
    bool speaks() const noexcept { return &m_calls.line() == m_calls.ranks().front().line; }
    bool others_come() const;
    void describe_call(MeetingRecord& mine, std::string_view name) const;
    void tell(const MeetingRecord& mine);
    static bool find_record(const CallLine::Records& records, std::uint64_t attempt,
                            MeetingRecord& theirs);
    template <class IsThere>
    bool wait_for(SyncLine& line, const MeetingRecord& mine, const IsThere& is_there);
    void look_around(const MeetingRecord& mine);
    void hear_node(const MeetingRecord& mine, MeetingRecord& all);
    void speak_for_node(const MeetingRecord& mine, MeetingRecord& all, int tries);
    void hear_result(const MeetingRecord& mine, MeetingRecord& all);
    std::exception_ptr interruption();
    void withdraw(MeetingRecord mine, const std::exception_ptr& why);
    Outcome outcome() const { return m_calls.outcomes().of(m_attempt); }
    Outcome fail(const MeetingRecord& mine);
    void leave(const MeetingRecord& mine, bool is_lost);
    struct Description {
        std::string text;
        bool differ = false;
        bool is_complete = false; ///< covers all ranks of the node
    };
    Description describe_calls(const MeetingRecord& mine) const;
    std::string agreed_reason(const MeetingRecord& mine) const;
    std::string explain(const MeetingRecord& mine) const;
    std::string explain_refusal() const;

    Calls& m_calls;
    NodeExchange* m_between;
    std::uint64_t m_attempt = 0; ///< the last one
};

/// Combines two records; the result reports a difference between them.
MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other);

} // namespace distview::impl
