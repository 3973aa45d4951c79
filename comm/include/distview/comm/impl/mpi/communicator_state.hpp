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

/// Base of objects that hold MPI objects of a communicator and must release them before the communicator is freed.
class Closable {
public:
    using Time = std::chrono::steady_clock::time_point;
    /// Time that close() gives to neighbours which may still be in the middle of an execution.
    static constexpr std::chrono::seconds grace{2};
    virtual ~Closable() = default;
    /// Abandons executions in flight, so that no rank waits for this process; local, does not throw.
    virtual void leave() noexcept = 0;
    /// Whether certainly no rank uses the object any more; local.
    virtual bool is_over() noexcept { return false; }
    /// Frees MPI objects; local, does not throw. Waits until `deadline` for other ranks that may still use them.
    virtual void close(Time deadline) noexcept = 0;
};

/// Lines of the ranks that can map each other's memory.
struct CallLines {
    std::vector<Calls::Rank> ranks;
    std::shared_ptr<void> memory;
    /// The lowest rank of each node, ascending. Without shared memory every rank counts as a node.
    std::vector<int> speakers;
};

/// A line in this process's own memory, which no other rank sees.
CallLines own_call_line(int rank);
/// Makes this rank's line and maps the lines of other ranks of `node` where memory can be shared. Collective.
CallLines share_call_lines(MPI_Comm comm, MPI_Comm node, int rank);

/// State that all copies of a Communicator share.
class CommunicatorState : public std::enable_shared_from_this<CommunicatorState> {
public:
    /// Facts about the ranks, collected when the communicator is made.
    struct Ranks {
        int rank = 0;
        int size = 1;
        int tag_limit = 0; ///< the highest message tag
        /// Whether ranks share processors: this rank and the ranks that may use one of its
        /// processors outnumber the processors that they may use together.
        bool oversubscribed = false;
        int processors = 0;     ///< of the node, for all its ranks together; 0: not known
        int own_processors = 0; ///< usable by this rank; 0: not known
        int ranks_of_node = 1;
        int node = 0; ///< the lowest rank of this node
    };
    /// `lines`: show the ranks of this node each other's calls.
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
    /// Meetings of all ranks in a call.
    Meeting& meeting() noexcept { return m_meeting; }
    /// For waiting loops: lets MPI make progress. Throws if a process has ended, this rank has
    /// waited too long or the user interrupts.
    void make_progress();
    Deadline& deadline() noexcept { return m_deadline; }
    /// Records of plans and calls for the report; null if none is wanted.
    ReportLog* report() noexcept { return m_report.get(); }
    /// Starts or continues the report for that file; an empty name ends it.
    void set_report(const std::string& file);

    /// Numbers an array that all ranks have made together; `identity` identifies it on this rank.
    void number_array(std::uint64_t identity) noexcept;
    /// Hash of the numbers of arrays; nullopt if this rank does not know all of them, for
    /// example if each rank wrapped its own.
    std::optional<std::uint64_t> digest_of(std::span<const std::uint64_t> identities) const;
    /// A number for a new plan; the same on all ranks because plans are made collectively.
    std::uint64_t next_plan() noexcept { return ++m_plans; }

    void add(const std::weak_ptr<Closable>& user);
    /// Keeps users alive until is_over() or close(): MPI and other ranks may still access their buffers.
    /// For any thread; leaves `users` empty: its nodes are moved, so that nothing is allocated.
    void keep(std::list<std::shared_ptr<Closable>>& users) noexcept {
        const std::lock_guard lock(m_left_mutex);
        m_kept.splice(m_kept.end(), users);
    }

    /// Memory of this process's arrays, which the node's other processes can map.
    const std::shared_ptr<Arena>& arena() const noexcept { return m_arena; }
    /// Memory of the flags by which processes synchronise: the node's other processes write it
    /// too. Holds no arrays, which other processes map read-only.
    const std::shared_ptr<Arena>& line_arena() const noexcept { return m_line_arena; }
    /// Memory of line_arena() for `count` SyncLines, null if there is none.
    ///
    /// Released memory is reused after the next meeting of all ranks: no rank is then in an execution that this
    /// rank has left. It is never reused if a call has failed here meanwhile: others may still be in that call.
    std::shared_ptr<void> line_memory(std::size_t count);
    /// Another process's segment, mapped once for each kind of access; null if it cannot be mapped.
    std::shared_ptr<SharedSegment> segment_of(const SegmentAddress& address, Access access);
    /// State of close_all(). A member, so that close_all() allocates nothing for it while other ranks wait.
    struct Closing {
        MPI_Request request = MPI_REQUEST_NULL;
        int wants_report = 0;           ///< whether rank 0 wants a report
        bool has_failed = false;        ///< a call failed: the others' state is unknown
        bool is_lost = false;           ///< refusing the calls of others failed
        bool has_told = false;          ///< the passed deadline is reported
        std::string report{};           ///< report of this rank, packed
        std::unique_ptr<char[]> room{}; ///< on rank 0: buffer for a report
        MPI_Comm comm = MPI_COMM_NULL;  ///< about to be freed
        /// Whether the request has completed, or failed.
        bool is_done() noexcept {
            int done = 0;
            if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) return done != 0;
            has_failed = true;
            return true;
        }
    };
    Closing& closing() noexcept { return m_closing; }
    /// Closes all users of the open communicators and frees their duplicates; ranks may list
    /// them in different orders. Collective, does not throw.
    static void close_all(std::span<const std::shared_ptr<CommunicatorState>> open) noexcept;

private:
    MPI_Comm m_comm;
    Ranks m_ranks;
    int m_next_tag = NodeMessages::end_of_tags;
    std::uint64_t m_plans = 0;
    std::uint64_t m_array_count = 0;
    std::map<std::uint64_t, std::uint64_t> m_arrays; ///< numbers of the last arrays, by identity
    Calls m_calls;
    std::unique_ptr<NodeExchange>
        m_between; ///< null if all ranks are of this node, and when closed
    Meeting m_meeting;
    std::unique_ptr<ProcessWatch> m_processes; ///< null when closed
    Deadline m_deadline;
    std::unique_ptr<ReportLog> m_report;
    std::vector<std::weak_ptr<Closable>> m_users;
    /// Guards m_kept and m_spare_lines, which destructors fill on any thread. Not held while an element is destroyed.
    std::mutex m_left_mutex;
    std::list<std::shared_ptr<Closable>> m_kept;
    std::shared_ptr<Arena> m_arena = std::make_shared<Arena>();
    static constexpr std::size_t least_lines = std::size_t{1}
                                               << 16; ///< bytes: lines of some 250 plans
    std::shared_ptr<Arena> m_line_arena = std::make_shared<Arena>(least_lines);
    std::vector<std::weak_ptr<SharedSegment>> m_segments; ///< segments of other processes
    struct SpareLines {
        std::size_t count = 0;
        std::shared_ptr<void> memory;
        std::uint64_t meetings = 0; ///< Calls::meetings() when the memory was released
        std::uint64_t failures = 0; ///< Calls::failures() when it was handed out
    };
    std::list<SpareLines> m_spare_lines;
    Closing m_closing;
};

/// Receives and drops messages that no rank will receive: of abandoned exchanges, and withdrawals between nodes.
/// Open MPI might give them to another communicator; MPICH aborts if a freed communicator has pending messages.
void drop_messages(MPI_Comm comm) noexcept;

/// Sends the reports of all ranks of these communicators to their rank 0, which writes the
/// wanted ones. Does not throw.
///
/// Collective: over all the communicators, which ranks may list in different orders
void write_reports(std::span<const std::shared_ptr<CommunicatorState>> open) noexcept;

/// Most bytes of a rank's report: rank 0 allocates one such buffer before it asks; all together stay below 2^31.
std::size_t most_report_bytes(const CommunicatorState& state) noexcept;
/// Writes rank 0's own figures; does nothing on other ranks. Local, does not throw.
void write_own_report(CommunicatorState& state) noexcept;

} // namespace distview::impl
