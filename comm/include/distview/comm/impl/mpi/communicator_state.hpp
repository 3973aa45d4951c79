// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/arena.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/comm/impl/mpi/call_lines.hpp>
#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/mpi/closable.hpp>
#include <distview/comm/impl/mpi/deadline.hpp>
#include <distview/comm/impl/mpi/meeting.hpp>
#include <distview/comm/impl/mpi/process_watch.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

class ReportLog;

/// State that all copies of a Communicator share.
class CommunicatorState : public std::enable_shared_from_this<CommunicatorState> {
public:
    CommunicatorState(MPI_Comm duplicate, int rank, int size, int tag_limit, bool crowded);
    ~CommunicatorState();
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;

    MPI_Comm comm() const noexcept { return m_comm; }
    int rank() const noexcept { return m_rank; }
    int size() const noexcept { return m_size; }
    /// Whether ranks share processors: this one and those that may use one of its processors are more than the
    /// processors that these may use together, when the communicator was made.
    bool crowded() const noexcept { return m_crowded; }
    /// How many processors the node's ranks may use together; 0: not known.
    int processors() const noexcept { return m_processors; }
    void set_processors(int processors) noexcept { m_processors = processors; }
    /// Whether all its ranks are on one node.
    bool is_one_node() const noexcept { return m_is_one_node; }
    void set_one_node(bool is_one_node) noexcept { m_is_one_node = is_one_node; }
    bool is_open() const noexcept { return m_comm != MPI_COMM_NULL; }

    /// A message tag for a new user of the communicator; the same on all ranks because users are
    /// made collectively.
    int next_tag() noexcept {
        const int tag = m_next_tag;
        m_next_tag = tag == m_tag_limit ? 0 : tag + 1;
        return tag;
    }

    /// Lets the ranks see each other's calls, those of this node through memory. Collective.
    void share_calls(MPI_Comm node, const Deadline::Setting& setting);
    /// The collective calls made so far.
    Calls& calls() noexcept { return *m_calls; }
    /// Where ranks meet in a call.
    Meeting& meeting() noexcept { return *m_meeting; }
    /// For waiting loops: lets MPI work for others, and throws if a rank has ended, if this one has waited too long or if
    /// the user wants to interrupt.
    void make_progress();
    Deadline& deadline() noexcept { return *m_deadline; }
    /// Records of plans and calls for the report; null if none is wanted.
    ReportLog* report() noexcept { return m_report.get(); }
    /// Begins a report for that file, or goes on with it; empty: none.
    void set_report(const std::string& file);

    /// Numbers an array that all ranks have just made, by its identity on this rank.
    void number_array(std::uint64_t identity);
    /// Hash of the numbers of arrays; nothing if this rank does not know all of them, as when they were wrapped by
    /// each rank for itself.
    std::optional<std::uint64_t> digest_of(std::span<const std::uint64_t> identities) const;
    /// A number for a new plan; the same on all ranks because plans are made collectively.
    std::uint64_t next_plan() noexcept { return ++m_plans; }

    void add(const std::weak_ptr<Closable>& user);
    /// Keeps a user alive until close(): MPI may still touch its buffers.
    void keep(std::shared_ptr<Closable> user) { m_kept.push_back(std::move(user)); }
    /// The same for memory that neighbours may still touch.
    void keep_memory(std::shared_ptr<void> memory) { m_kept_memory.push_back(std::move(memory)); }

    /// Where this process's arrays lie, for the node's other processes to see.
    const std::shared_ptr<Arena>& arena() const noexcept { return m_arena; }
    /// Memory that other processes of the node write: what they tell each other. Never arrays, which others map to
    /// read only.
    const std::shared_ptr<Arena>& line_arena() const noexcept { return m_line_arena; }
    /// Memory of line_arena() for `count` SyncLines, null if there is none. Given back it is used for lines
    /// again and for nothing else: a process that gives up may still write to one that is not in use.
    std::shared_ptr<void> line_memory(std::size_t count);
    /// Another process's segment, mapped once for each kind of access; null if it cannot be reached.
    std::shared_ptr<SharedSegment> segment_of(const SegmentAddress& address, Access access);
    /// Closes all users and frees the duplicate; collective, does not throw.
    void close() noexcept;
    /// The same for several, which ranks may name in different orders.
    static void close_all(std::span<const std::shared_ptr<CommunicatorState>> states) noexcept;

private:
    MPI_Comm m_comm;
    int m_rank;
    int m_size;
    int m_tag_limit;
    bool m_crowded;
    bool m_is_one_node = false;
    int m_processors = 0;
    int m_next_tag = 0;
    std::uint64_t m_plans = 0;
    std::uint64_t m_array_count = 0;
    std::map<std::uint64_t, std::uint64_t> m_arrays; ///< numbers by identity, of the last ones
    std::unique_ptr<Calls> m_calls;
    std::unique_ptr<NodeExchange> m_between; ///< null if all ranks are of this node
    std::unique_ptr<Meeting> m_meeting;
    std::unique_ptr<ProcessWatch> m_processes;
    std::unique_ptr<Deadline> m_deadline;
    std::unique_ptr<ReportLog> m_report;
    std::vector<std::weak_ptr<Closable>> m_users;
    std::vector<std::shared_ptr<Closable>> m_kept;
    std::vector<std::shared_ptr<void>> m_kept_memory;
    std::shared_ptr<Arena> m_arena = std::make_shared<Arena>();
    static constexpr std::size_t least_lines = std::size_t{1}
                                               << 16; ///< bytes: some 250 plans' lines
    std::shared_ptr<Arena> m_line_arena = std::make_shared<Arena>(least_lines);
    std::vector<std::weak_ptr<SharedSegment>> m_segments;            ///< of other processes
    std::multimap<std::size_t, std::shared_ptr<void>> m_spare_lines; ///< by count
};

} // namespace distview::impl
