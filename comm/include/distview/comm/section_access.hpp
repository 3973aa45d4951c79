// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>

#include <memory>

namespace distview {

/// Gives this rank plain pointers to sections of a distributed array: to its own section, and to sections of
/// make_dist_view() on the node's other processes. For file writers, or for one rank that copies a whole array.
///
///     const SectionAccess access(comm, u);             // once
///     barrier(comm);                                   // sections are written
///     if (access.reaches_all(comm.rank()))
///         for (int p = 0; p < comm.size(); ++p) write(access.section(p));
///     barrier(comm);                                   // sections may be written again
///
/// The program must order accesses, as above. All ranks destroy it, or stop using it, before the array is destroyed.
///
/// Collective: the constructor, over comm
/// Space:      memory of the host
/// Cost:       three agreements, a message to each rank of the node, one MPI_Allgather; keeps 4 bytes for each rank
/// Errors:     UsageError if the layout's grid does not match the communicator or ranks pass different arrays,
///             ShapeError if the array is not this rank's section or not in host-readable memory (thrown on all ranks)
class SectionAccess {
public:
    SectionAccess(const Communicator& comm, const AnyDistView& array);
    // Copies only: a moved-from object keeps its sections.
    SectionAccess(const SectionAccess&) = default;
    SectionAccess& operator=(const SectionAccess&) = default;

    /// Whether this rank can read the section of a process. With unstructured_local() axes, whose labels other
    /// processes do not know, an empty section may be out of reach.
    bool reaches(int process) const;
    /// Whether a rank can read all sections; the same answer on all ranks.
    bool reaches_all(int rank) const;
    /// The section of a process, padding included, read-only; UsageError if it is out of reach.
    AnySection section(int process) const;

private:
    struct State;
    std::shared_ptr<const State> m_state;
};

} // namespace distview
