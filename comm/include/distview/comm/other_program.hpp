// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/array_layout.hpp>

#include <mpi.h>

#include <vector>

namespace distview {

/// The program at the other end of an intercommunicator, to redistribute arrays to and from: a coupled model, the
/// viewer of `mpirun -n 3 model : -n 5 viewer`, or a program that MPI_Comm_spawn started.
///
/// Each program passes its own layout, and the library sends it to the other program:
///
///     const OtherProgram viewer(intercommunicator);                // in the model, which has `a` on 3 processes
///     RedistributionPlan plan = viewer.plan_to(a.layout());
///     plan.execute(exec, a, viewer.nothing_of(a));
///
///     const OtherProgram model(intercommunicator);                 // in the viewer, which gets `b` on 5 processes
///     RedistributionPlan plan = model.plan_from(b.layout());
///     plan.execute(exec, model.nothing_of(b), b);
///
/// Each program has its own arrays: process p of their layouts is rank p of the intercommunicator's local group, the
/// group of the communicator from which the program made the intercommunicator.
///
/// The ranks of both programs form one communicator, which lasts as long as the intercommunicator: further
/// OtherPrograms of the same intercommunicator share it and communicate nothing.
///
/// Collective: over both programs, the constructor as well
/// Errors:     UsageError if MPI is not initialised or already finalised, for MPI_COMM_NULL and for intracommunicators
///             (on this rank), or, when layouts are exchanged, if the programs use different formats: both need the
///             same version of the library (on all ranks)
/// Example:    docs/redistribution.md, "Between programs"
class OtherProgram {
public:
    explicit OtherProgram(MPI_Comm intercommunicator);

    /// Communicator of all ranks: one program's ranks follow the other's; MPI chooses the order of the programs.
    const Communicator& communicator() const noexcept { return m_comm; }
    /// The other program's ranks in communicator(), and this program's; ascending and without gaps.
    const std::vector<int>& ranks() const noexcept { return m_ranks; }
    const std::vector<int>& own_ranks() const noexcept { return m_own_ranks; }

    /// Sends this program's layout to the other program and returns the other's; ArrayLayout() sends no layout.
    ///
    /// The layout that the lowest rank of each program passes counts. If an unstructured axis is known in part
    /// (unstructured_local()), only its size is sent, no labels.
    ///
    /// Collective: over both programs
    /// Cost:       six agreements, one MPI_Allreduce, two MPI_Bcast of the layouts
    ArrayLayout exchange(const ArrayLayout& mine) const;

    /// Makes a plan that moves elements from arrays of this layout to the other program, which calls plan_from().
    ///
    /// Both programs execute the plan and pass nothing_of() for the other's array. Both programs pass the same options;
    /// from_ranks and to_ranks are ignored.
    ///
    /// Collective: over both programs
    /// Errors:     UsageError if both programs send, or both receive; those of RedistributionPlan (on all ranks)
    RedistributionPlan plan_to(const ArrayLayout& mine,
                               const RedistributionOptions& options = {}) const {
        return plan(mine, options, true);
    }
    /// The reverse: moves elements from the other program to arrays of this layout.
    RedistributionPlan plan_from(const ArrayLayout& mine,
                                 const RedistributionOptions& options = {}) const {
        return plan(mine, options, false);
    }

    /// Null pointer that stands for the other program's array, which has the same element type.
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
