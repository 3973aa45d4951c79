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
/// Messages of the library never match receives of the program, nor the reverse. MPI errors on the duplicate are
/// thrown as MpiError; the error handler of the program's communicator stays as it is. The first Communicator of an
/// MPI_Comm makes the duplicate and stores it there as an attribute: further Communicators of that MPI_Comm share it
/// and communicate nothing. Copies are shallow.
///
/// close() frees the duplicate, else freeing the original MPI_Comm does, else MPI_Finalize. A destructor never
/// frees it, because ranks could then wait for each other.
///
/// Under MPI_THREAD_MULTIPLE threads may make Communicators of different MPI_Comms in any order. If threads pass one
/// MPI_Comm, they wait for the first thread and share the duplicate. One thread at a time may use a communicator and
/// objects made with it: concurrent threads each MPI_Comm_dup their own. Any thread may drop the last reference.
///
/// Collective: the first Communicator of an MPI_Comm, and close(); all other members are local
/// Errors:     UsageError if MPI is not initialised or already finalised, for MPI_COMM_NULL and for
///             intercommunicators, and from every use after close()
class Communicator {
public:
    explicit Communicator(MPI_Comm parent);

    int rank() const;
    int size() const;
    /// The duplicate, which belongs to the library: a program's collective calls on it must not interleave with the
    /// library's, and the library may receive the program's messages. Send on a duplicate of your own.
    MPI_Comm mpi() const;
    /// Number of processors for this rank's threads: those that it could use when the communicator was made, or, if
    /// less, an even share of the node's among its ranks, or `ranks_of_node` if more; 0 if not reported. Local.
    int processors(int ranks_of_node = 0) const;

    /// Limits, for all copies, how long a rank waits for other ranks in a collective call. Then it throws a
    /// DeadlineError that names the missing ranks and their last known calls; 0, the default, waits for ever.
    /// DISTVIEW_DEADLINE (seconds) sets it for all communicators; DISTVIEW_DEADLINE_ABORT=1 calls MPI_Abort instead.
    ///
    /// All waiting ranks of the node throw the error; the rank that finds it first also reports it to its message sink.
    /// The communicator is then unusable: every call in which a rank must wait throws the error again. Time in MPI's
    /// own collective calls does not count: they begin when all ranks are in the call.
    ///
    /// Collective: no (local); all ranks must set the same
    /// Errors:     UsageError if `limit` is negative or not finite
    void set_deadline(std::chrono::duration<double> limit);

    /// Requests a report of all plans made from now on. Rank 0 writes it when the communicator is closed: JSON lines if
    /// the name ends in ".json", else text; an empty name requests none. DISTVIEW_REPORT sets it for all communicators
    /// ("1" means distview-report.txt). docs/report.md shows a report.
    ///
    /// If a process writes several reports to one file, they follow each other. If a file cannot be written, the
    /// message sink gets a warning.
    ///
    /// Collective: no (local); all ranks must set the same. The setting of rank 0 decides whether a report is written
    /// Cost:       each execution of a plan reads the clock, some 0.3 us
    void set_report(const std::string& file);

    bool is_open() const noexcept;
    /// Frees the duplicate for all copies; arrays and plans made with it can only be destroyed afterwards.
    /// Waits for all ranks, and lets them complete exchanges that this rank abandoned.
    ///
    /// Errors: UsageError if ranks make another call meanwhile (on all ranks); the duplicate is not freed then
    void close();

    /// Whether both share one duplicate: made from the same MPI_Comm, with no close() in between.
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

/// The node of every rank, named by the lowest rank with which the rank shares memory.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allgather
/// Errors:     MpiError
std::vector<int> nodes_of_ranks(const Communicator& comm);

/// Makes a communicator of the same ranks in another order (GridPlacement::ranks, RedistributionOptions::to_ranks):
/// its rank p is rank ranks[p] of `comm`. The caller frees it after the objects made with it are destroyed.
///
/// Collective: over comm; all ranks pass the same
/// Cost:       one agreement, one MPI_Comm_split
/// Errors:     UsageError unless `ranks` has each rank once, or if ranks pass different orders (on all ranks); MpiError
MPI_Comm order_ranks(const Communicator& comm, std::span<const int> ranks);

} // namespace distview
