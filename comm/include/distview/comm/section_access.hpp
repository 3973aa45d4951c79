// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>

#include <memory>

namespace distview {

/// Sections of a distributed array that this rank reads where they lie: its own, and those of make_dist_view() on the node's
/// other processes. For code that takes plain memory, such as a writer of files, or one rank that copies a whole array.
///
///     const SectionAccess access(comm, u);             // once
///     barrier(comm);                                   // sections are written
///     if (access.reaches_all(comm.rank()))
///         for (int p = 0; p < comm.size(); ++p) write(access.section(p));
///     barrier(comm);                                   // sections may be written again
///
/// The program orders accesses, as above. All ranks destroy it, or leave it alone, before the array is destroyed.
///
/// Collective: the constructor, over comm
/// Space:      memory of the host
/// Cost:       three agreements, a message to each rank of the node, one MPI_Allgather; keeps 4 bytes for each rank
/// Errors:     UsageError if the layout's grid is not the communicator's or ranks pass different layouts, ShapeError if
///             the array is not this rank's section or not in memory that the host reads (thrown on all ranks)
class SectionAccess {
public:
    SectionAccess(const Communicator& comm, const AnyDistView& array);
    // Copies alone: what is moved from reaches what it did.
    SectionAccess(const SectionAccess&) = default;
    SectionAccess& operator=(const SectionAccess&) = default;

    /// Whether this rank reads the section of a process. An empty one of unstructured_local() axes, whose labels others do
    /// not know, may be out of reach.
    bool reaches(int process) const;
    /// Whether a rank reads all sections; the same answer on all ranks.
    bool reaches_all(int rank) const;
    /// The section of a process, padding included, read-only; UsageError if it is out of reach.
    AnySection section(int process) const;

private:
    struct State;
    std::shared_ptr<const State> m_state;
};

} // namespace distview
