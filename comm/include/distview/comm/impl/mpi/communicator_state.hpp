// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/arena.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/mpi/deadline.hpp>
#include <distview/comm/impl/mpi/meeting.hpp>
#include <distview/comm/impl/mpi/node_messages.hpp>
#include <distview/comm/impl/mpi/process_watch.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

class ReportLog;

/// Base of objects that hold MPI objects of a communicator and must let go of them before it is freed.
class Closable {
public:
    using Time = std::chrono::steady_clock::time_point;
    /// Given to what others may still be doing: as long as a neighbour may need that is in the middle of an execution.
    static constexpr std::chrono::seconds grace{2};
    virtual ~Closable() = default;
    /// Gives up what is under way, so that nobody waits for this process; local, does not throw.
    virtual void leave() noexcept = 0;
    /// Whether nobody uses it any more, for certain; local.
    virtual bool is_over() noexcept { return false; }
    /// Frees MPI objects; local, does not throw. What others may still be doing with them gets until `deadline`.
    virtual void close(Time deadline) noexcept = 0;
};

/// The lines of the ranks that see each other's memory.
struct CallLines {
    std::vector<Calls::Rank> ranks;
    std::shared_ptr<void> memory;
    /// Of all nodes the lowest rank, ascending. Where there is no shared memory every rank is a node.
    std::vector<int> speakers;
};

/// A line in this process's own memory, which no other rank sees.
CallLines own_call_line(int rank);
/// Makes this rank's line and finds the others', of which those of `node` may share memory. Collective.
CallLines share_call_lines(MPI_Comm comm, MPI_Comm node, int rank);

/// State that all copies of a Communicator share.
class CommunicatorState : public std::enable_shared_from_this<CommunicatorState> {
public:
    /// Facts about the ranks, found out when the communicator was made.
    struct Ranks {
        int rank = 0;
        int size = 1;
        int tag_limit = 0; ///< the highest message tag
        /// Whether ranks share processors: this one and those that may use one of its processors are more than the
        /// processors that these may use together.
        bool oversubscribed = false;
        int processors = 0;     ///< of the node, for its ranks together; 0: not known
        int own_processors = 0; ///< usable by this rank; 0: not known
        int ranks_of_node = 1;
        int node = 0; ///< the lowest rank of this node
    };
    /// `lines`: through which the ranks of this node see each other's calls.
    CommunicatorState(MPI_Comm duplicate, const Ranks& ranks, const CallLines& lines,
                      const Deadline::Setting& setting);
    ~CommunicatorState();
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;

    MPI_Comm comm() const noexcept { return m_comm; }
    int rank() const noexcept { return m_ranks.rank; }
    int size() const noexcept { return m_ranks.size; }
    const Ranks& ranks() const noexcept { return m_ranks; }
    bool is_open() const noexcept { return m_comm != MPI_COMM_NULL; }

    /// A message tag for a new user of the communicator; the same on all ranks because users are
    /// made collectively.
    int next_tag() noexcept {
        const int tag = m_next_tag;
        m_next_tag = tag == m_ranks.tag_limit ? NodeMessages::end_of_tags : tag + 1;
        return tag;
    }

    /// The collective calls made so far.
    Calls& calls() noexcept { return m_calls; }
    /// Where ranks meet in a call.
    Meeting& meeting() noexcept { return m_meeting; }
    /// For waiting loops: lets MPI work for others, and throws if a rank has ended, if this one has waited too long or if
    /// the user wants to interrupt.
    void make_progress();
    Deadline& deadline() noexcept { return m_deadline; }
    /// Records of plans and calls for the report; null if none is wanted.
    ReportLog* report() noexcept { return m_report.get(); }
    /// Begins a report for that file, or goes on with it; empty: none.
    void set_report(const std::string& file);

    /// Numbers an array that all ranks have just made, by its identity on this rank.
    void number_array(std::uint64_t identity) noexcept;
    /// Hash of the numbers of arrays; nothing if this rank does not know all of them, as when they were wrapped by
    /// each rank for itself.
    std::optional<std::uint64_t> digest_of(std::span<const std::uint64_t> identities) const;
    /// A number for a new plan; the same on all ranks because plans are made collectively.
    std::uint64_t next_plan() noexcept { return ++m_plans; }

    void add(const std::weak_ptr<Closable>& user);
    /// Keeps users alive until they are over, or to close(): MPI, and other ranks, may still touch their buffers. On any
    /// thread; leaves the list empty, so that it allocates nothing.
    void keep(std::list<std::shared_ptr<Closable>>& users) noexcept {
        const std::lock_guard lock(m_left_mutex);
        m_kept.splice(m_kept.end(), users);
    }

    /// Where this process's arrays lie, for the node's other processes to see.
    const std::shared_ptr<Arena>& arena() const noexcept { return m_arena; }
    /// Memory that other processes of the node write: what they tell each other. Never arrays, which others map to
    /// read only.
    const std::shared_ptr<Arena>& line_arena() const noexcept { return m_line_arena; }
    /// Memory of line_arena() for `count` SyncLines, null if there is none.
    ///
    /// What is given back is used for lines again once all ranks have met, so that none is in an execution that this one
    /// has left behind; and not at all if a call has failed here meanwhile: others may be in the one that was refused.
    std::shared_ptr<void> line_memory(std::size_t count);
    /// Another process's segment, mapped once for each kind of access; null if it cannot be reached.
    std::shared_ptr<SharedSegment> segment_of(const SegmentAddress& address, Access access);
    /// Of close_all(), which takes no memory of its own: others wait.
    struct Closing {
        MPI_Request request = MPI_REQUEST_NULL;
        int wants_report = 0;           ///< rank 0
        bool has_failed = false;        ///< a collective call: what others know is not known
        bool is_lost = false;           ///< cannot refuse the calls of others
        bool has_told = false;          ///< the deadline has passed, and others know
        std::string report{};           ///< of this rank, packed
        std::unique_ptr<char[]> room{}; ///< of rank 0 for another's, if it wants a report
        MPI_Comm comm = MPI_COMM_NULL;  ///< about to be freed
        /// Whether the request has ended, or failed.
        bool is_done() noexcept {
            int done = 0;
            if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) return done != 0;
            has_failed = true;
            return true;
        }
    };
    Closing& closing() noexcept { return m_closing; }
    /// Closes all users and frees the duplicates of open communicators, which ranks may name in different orders; collective,
    /// does not throw.
    static void close_all(std::span<const std::shared_ptr<CommunicatorState>> open) noexcept;

private:
    MPI_Comm m_comm;
    Ranks m_ranks;
    int m_next_tag = NodeMessages::end_of_tags;
    std::uint64_t m_plans = 0;
    std::uint64_t m_array_count = 0;
    std::map<std::uint64_t, std::uint64_t> m_arrays; ///< numbers by identity, of the last ones
    Calls m_calls;
    std::unique_ptr<NodeExchange>
        m_between; ///< null if all ranks are of this node, and when closed
    Meeting m_meeting;
    std::unique_ptr<ProcessWatch> m_processes; ///< null when closed
    Deadline m_deadline;
    std::unique_ptr<ReportLog> m_report;
    std::vector<std::weak_ptr<Closable>> m_users;
    /// Of what last references leave, on any thread: m_kept and the lines below. Not held while one of these is destroyed.
    std::mutex m_left_mutex;
    std::list<std::shared_ptr<Closable>> m_kept;
    std::shared_ptr<Arena> m_arena = std::make_shared<Arena>();
    static constexpr std::size_t least_lines = std::size_t{1}
                                               << 16; ///< bytes: some 250 plans' lines
    std::shared_ptr<Arena> m_line_arena = std::make_shared<Arena>(least_lines);
    std::vector<std::weak_ptr<SharedSegment>> m_segments; ///< of other processes
    struct SpareLines {
        std::size_t count = 0;
        std::shared_ptr<void> memory;
        std::uint64_t meetings = 0; ///< when it was given back
        std::uint64_t failures = 0; ///< of calls until it was handed out
    };
    std::list<SpareLines> m_spare_lines;
    Closing m_closing;
};

/// Takes messages that nobody will receive, of exchanges that were abandoned and news between nodes: Open MPI might give them to
/// another communicator, MPICH ends a program that frees one of which there are some.
void drop_messages(MPI_Comm comm) noexcept;

/// Brings the reports of all ranks of these communicators to their rank 0, which writes those that are wanted. Does not
/// throw.
///
/// Collective: over all of them, which ranks may name in different orders
void write_reports(std::span<const std::shared_ptr<CommunicatorState>> open) noexcept;

/// Bytes that a rank's report has at most: rank 0 has memory for one before it asks for any, and for all together.
std::size_t most_report_bytes(const CommunicatorState& state) noexcept;
/// Writes what rank 0 knows itself; nothing on other ranks. Local, does not throw.
void write_own_report(CommunicatorState& state) noexcept;

} // namespace distview::impl
