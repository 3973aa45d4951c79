// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace distview::impl {

/// How the ranks of several nodes meet: of each node one takes part, in every attempt. An interface, since the
/// nodes' own meetings know no MPI.
class NodeExchange {
public:
    virtual ~NodeExchange() = default;
    /// Combines the records of all nodes. If `mine` or any other tells a difference, so does the result; with one
    /// of this node it waits for nobody.
    virtual MeetingRecord combine(const MeetingRecord& mine) = 0;
    /// Tells the other nodes, which may have this one's record, that it does not go on, by the difference in `mine`. A node
    /// that has combined all records when the news come has met in vain.
    virtual void withdraw(const MeetingRecord& mine) noexcept = 0;
    /// Whether another node has come to that attempt.
    virtual bool has_come(std::uint64_t attempt) = 0;
};

/// Lets all ranks of a communicator meet in the same call: nobody leaves before all have come, unless one of
/// them makes another call.
///
/// On a node through the ranks' lines: each reads the records of all. Of several nodes, the lowest rank
/// exchanges what its node says with the others (`between`) and tells the node the result.
///
/// Ranks meet in attempts, which all count alike. On a node each ends once, for all (Outcomes): met, or failed, when
/// somebody finds that not all come, or wants to leave. A rank for which others did not wait there, since it has
/// left the call that they are in behind, goes on to the next attempt.
///
/// After a meeting all ranks are at the same place of the same call: collective calls of MPI can follow.
class Meeting {
public:
    /// `between`: null if all ranks are of this node.
    explicit Meeting(Calls& calls, NodeExchange* between) : m_calls(calls), m_between(between) {}

    /// Combines the records of all ranks. `mine.least` is given, `name` says what this meeting is for.
    ///
    /// Throws UsageError that says which calls met, on all ranks that came, if not all came for the same. What
    /// Calls::idle() throws ends the attempt for all; if all have come by then, it is thrown the
    /// next time that this rank waits.
    MeetingRecord meet(MeetingRecord mine, std::string_view name);

    /// Of a rank that closes the communicator and waits for the others: ends what they try to meet for. Says by false
    /// that the communicator is lost.
    bool refuse() noexcept;

    /// Attempts so far, for tests that count them.
    std::uint64_t count() const noexcept { return m_attempt; }

private:
    /// Returns no record if the others came for a call that this rank has left behind, or waits for them to leave.
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
        bool is_complete = false; ///< of all ranks
    };
    Description describe_calls(const MeetingRecord& mine) const;
    std::string agreed_reason(const MeetingRecord& mine) const;
    std::string explain(const MeetingRecord& mine) const;
    std::string explain_refusal() const;

    Calls& m_calls;
    NodeExchange* m_between;
    std::uint64_t m_attempt = 0; ///< the last one
};

/// Combines two records; the result tells a difference between them.
MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other);

} // namespace distview::impl
