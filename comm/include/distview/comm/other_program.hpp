// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/array_layout.hpp>

#include <mpi.h>

#include <vector>

namespace distview {

/// The program at the other end of an intercommunicator, to redistribute arrays to and from: of a coupled model, of
/// `mpirun -n 3 model : -n 5 viewer`, or one that MPI_Comm_spawn has started.
///
/// Each program knows its own layout, and the library tells the other one:
///
///     const OtherProgram viewer(intercommunicator);                // in the model, which has `a` on 3 processes
///     RedistributionPlan plan = viewer.plan_to(a.layout());
///     plan.execute(exec, a, viewer.nothing_of(a));
///
///     const OtherProgram model(intercommunicator);                 // in the viewer, which gets `b` on 5 processes
///     RedistributionPlan plan = model.plan_from(b.layout());
///     plan.execute(exec, model.nothing_of(b), b);
///
/// Arrays are those that a program has: process p of their layouts is rank p of the intercommunicator's local group, which
/// is that of the communicator that the program made it from.
///
/// The ranks of both programs are joined in one communicator, which lasts as long as the intercommunicator: further
/// objects of the same one share it and communicate nothing.
///
/// Collective: over both programs, the constructor as well
/// Errors:     UsageError if MPI does not run, for MPI_COMM_NULL and for communicators of one group (of this rank), or, when
///             layouts are told, if the programs tell them in different formats: both need the same version of the
///             library (on all ranks)
/// Example:    docs/redistribution.md, "Between programs"
class OtherProgram {
public:
    explicit OtherProgram(MPI_Comm intercommunicator);

    /// Of the ranks of both programs: those of one behind those of the other, MPI says which.
    const Communicator& communicator() const noexcept { return m_comm; }
    /// The other program's ranks there, and this one's; ascending and without gaps.
    const std::vector<int>& ranks() const noexcept { return m_ranks; }
    const std::vector<int>& own_ranks() const noexcept { return m_own_ranks; }

    /// The layout that the other program passes, of what this one passes; ArrayLayout() says nothing.
    ///
    /// What the lowest rank of each program passes counts. Of unstructured axes that are known in part
    /// (unstructured_local()) the size is told, and no labels.
    ///
    /// Collective: over both programs
    /// Cost:       six agreements, one MPI_Allreduce, two MPI_Bcast of the layouts
    ArrayLayout exchange(const ArrayLayout& mine) const;

    /// A plan that moves elements from arrays of this layout to the other program, which calls plan_from() meanwhile.
    ///
    /// Executed by both programs, which pass nothing_of() for the other's array. Options are those of both, but for
    /// from_ranks and to_ranks, which are not looked at.
    ///
    /// Collective: over both programs
    /// Errors:     UsageError if both programs send, or both receive; those of RedistributionPlan (on all ranks)
    RedistributionPlan plan_to(const ArrayLayout& mine,
                               const RedistributionOptions& options = {}) const {
        return plan(mine, options, true);
    }
    /// The reverse: elements come to arrays of this layout.
    RedistributionPlan plan_from(const ArrayLayout& mine,
                                 const RedistributionOptions& options = {}) const {
        return plan(mine, options, false);
    }

    /// Stands for the other program's array, whose elements are of the same type.
    template <class View>
    static const View* nothing_of(const View&) noexcept {
        return nullptr;
    }

private:
    RedistributionPlan plan(const ArrayLayout& mine, RedistributionOptions options,
                            bool sends) const;

    Communicator m_comm;
    std::vector<int> m_ranks;
    std::vector<int> m_own_ranks;
};

} // namespace distview
