// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/calls.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace distview::impl {

/// How the ranks of several nodes meet: of each node one takes part. An interface, since the nodes' own
/// meetings know no MPI.
class NodeExchange {
public:
    virtual ~NodeExchange() = default;
    /// Combines the records of all nodes. If `mine` or any other tells a difference, so does the result.
    virtual MeetingRecord combine(const MeetingRecord& mine) = 0;
};

/// Lets all ranks of a communicator meet in the same call: nobody leaves before all have come, unless one of
/// them makes another call.
///
/// On a node through the ranks' lines: each reads the records of all. Of several nodes, the lowest rank
/// exchanges what its node says with the others (`between`) and tells the node the result.
///
/// After a meeting all ranks are at the same place of the same call: collective calls of MPI can follow.
class Meeting {
public:
    /// `between`: null if all ranks are of this node.
    explicit Meeting(Calls& calls, NodeExchange* between) : m_calls(calls), m_between(between) {}

    /// What is combined of all ranks' records. `mine.least` and `mine.flags` are given, `name` says what this
    /// meeting is for.
    ///
    /// Throws UsageError that says which calls met, on all ranks that came, if not all came for the same.
    MeetingRecord meet(MeetingRecord mine, std::string_view name);

    /// How many times this rank came to meet.
    std::uint64_t count() const noexcept { return m_count; }

private:
    void tell(const MeetingRecord& mine);
    bool find_record(const Calls::Rank& from, SyncLine& line, const CallLine::Records& records,
                     const MeetingRecord& mine, MeetingRecord& theirs) const;
    std::string wait_for(const Calls::Rank& from, SyncLine& line, const CallLine::Records& records,
                         const MeetingRecord& mine, MeetingRecord& theirs) const;
    template <class IsThere>
    std::string find_reason(const Calls::Rank& awaited, const IsThere& is_there,
                            const MeetingRecord& mine) const;
    std::string describe_meetings(const MeetingRecord& mine) const;
    // Each returns why the ranks do not meet, or nothing.
    std::string hear_node(const MeetingRecord& mine, MeetingRecord& all) const;
    std::string hear_other_nodes(const MeetingRecord& mine, const std::string& here,
                                 MeetingRecord& all);
    std::string hear_result(const MeetingRecord& mine, MeetingRecord& all) const;

    Calls& m_calls;
    NodeExchange* m_between;
    std::uint64_t m_count = 0;
    std::uint64_t m_result_count = 0;
};

/// Whether two nodes' records are of one meeting; where errors have reached the nodes in different calls, as far as
/// they can tell.
bool is_same_meeting(const MeetingRecord& one, const MeetingRecord& other) noexcept;
/// Whether the second one's sender has missed what the first one's came for.
bool is_before(const MeetingRecord& one, const MeetingRecord& other) noexcept;

/// What two records say together; a difference between them is told in the result.
MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other);

} // namespace distview::impl
