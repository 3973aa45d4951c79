// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace distview {

class Communicator;

namespace impl {
class CommunicatorState;
/// State that all copies of a communicator share.
const std::shared_ptr<CommunicatorState>& state_of(const Communicator& comm) noexcept;
} // namespace impl

/// The library's own duplicate of an MPI communicator.
///
/// Messages of the library cannot meet those of the program, and errors on the duplicate come back
/// as MpiError while the program's own error handler is left alone. The duplicate is made once per
/// communicator and kept with it as an attribute: further Communicators of the same MPI_Comm share
/// it and communicate nothing. Copies are shallow.
///
/// The duplicate is freed by close(), else with the MPI_Comm it was made from, else by MPI_Finalize;
/// never by a destructor, which could make ranks wait for each other.
///
/// Under MPI_THREAD_MULTIPLE threads may make Communicators of different MPI_Comms in any order. Threads that
/// pass one MPI_Comm wait for the first of them, and share the duplicate. One thread at a time uses a communicator and what
/// is made with it: threads that work side by side MPI_Comm_dup theirs. Last references may be dropped on any thread.
///
/// Collective: the first Communicator of an MPI_Comm, and close(); the rest is local
/// Errors:     UsageError if MPI is not initialised or already finalised, for MPI_COMM_NULL and for
///             intercommunicators, and from every use after close()
class Communicator {
public:
    explicit Communicator(MPI_Comm parent);

    int rank() const;
    int size() const;
    /// The duplicate. It is the library's: collective calls on it must not be mixed with its own, and messages
    /// on it may be taken for its own. Send on one that you have duplicated yourself.
    MPI_Comm mpi() const;
    /// How many processors this rank may count as its own, for threads: those that it could use when the communicator was made, or,
    /// where that is less, an even share of the node's, for its ranks or `ranks_of_node`; 0 if the system does not tell. Local.
    int processors(int ranks_of_node = 0) const;

    /// Sets for all copies how long a rank waits for others in a collective call before that is a DeadlineError which names
    /// the ranks that are missing and what they were seen in last; 0, the default, is for ever. DISTVIEW_DEADLINE (seconds)
    /// sets it for all communicators, and with DISTVIEW_DEADLINE_ABORT=1 MPI_Abort ends the job instead of the error.
    ///
    /// The error comes on all ranks of the node that wait, and is said to the message sink. Afterwards the communicator is
    /// lost: calls in which a rank must wait throw it again. Time in MPI's own collective calls, which begin when all
    /// ranks are in the call, does not count.
    ///
    /// Collective: no (local); all ranks must set the same
    /// Errors:     UsageError if it is negative or no finite number
    void set_deadline(std::chrono::duration<double> limit);

    /// Has a report of all plans made from now on written when the communicator is closed, by rank 0: JSON lines if the
    /// name ends in ".json", else text; empty: none. DISTVIEW_REPORT sets it for all communicators ("1" means
    /// distview-report.txt). docs/report.md shows one.
    ///
    /// Reports that a process writes to one file follow each other. A file that cannot be written is said to the
    /// message sink.
    ///
    /// Collective: no (local); all ranks must set the same. Whether there is a report is what rank 0 has set
    /// Cost:       executions of plans look at the clock, some 0.3 us each
    void set_report(const std::string& file);

    bool is_open() const noexcept;
    /// Frees the duplicate for all copies; arrays and plans made with it can only be destroyed.
    /// Waits for all ranks, and lets them end exchanges that were abandoned on this one.
    ///
    /// Errors: UsageError if ranks make another call meanwhile (on all ranks); the duplicate is not freed then
    void close();

    /// Whether both are the same duplicate: made from one MPI_Comm, between two calls of close().
    friend bool operator==(const Communicator&, const Communicator&) noexcept = default;

private:
    friend const std::shared_ptr<impl::CommunicatorState>&
    impl::state_of(const Communicator& comm) noexcept;

    std::shared_ptr<impl::CommunicatorState> m_state;
};

namespace impl {
inline const std::shared_ptr<CommunicatorState>& state_of(const Communicator& comm) noexcept {
    return comm.m_state;
}
} // namespace impl

/// The node of every rank: the lowest rank with which it shares memory.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allgather
/// Errors:     MpiError
std::vector<int> nodes_of_ranks(const Communicator& comm);

/// A communicator of the same ranks in another order, as GridPlacement::ranks and RedistributionOptions::to_ranks have it:
/// its rank p is this communicator's rank ranks[p]. It is the caller's, who frees it when what was made with it is gone.
///
/// Collective: over comm; all ranks pass the same
/// Cost:       one agreement, one MPI_Comm_split
/// Errors:     UsageError unless each rank is named once, or if ranks pass different orders (thrown on all ranks); MpiError
MPI_Comm order_ranks(const Communicator& comm, std::span<const int> ranks);

} // namespace distview
