// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "parameters.hpp"
#include "section.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace shallow_water {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class Real>
using Array = distview::DistView<Real**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The process grid to use: the one asked for, else the one that exchanges least.
///
/// Errors: distview::LayoutError if a row or column of processes would own no cells, UsageError if
///         the grid is not one of `rank_count` processes
distview::ProcessGrid choose_grid(const Options& options, int rank_count);

/// How one time step's kernels and exchanges follow each other; one class for each way.
class Stepper {
public:
    virtual ~Stepper() = default;
    /// Completes the initial state after its owned cells have been set.
    virtual void initialize(const Exec& exec) = 0;
    /// Advances the state; `euler` in the first step of a run.
    virtual void step(const Exec& exec, bool euler) = 0;
    /// Messages that this rank sends in one step.
    virtual int messages_per_step() const = 0;
};

/// The state of the model on all ranks, and how it is advanced.
///
/// Arrays are [row][column], south to north and west to east, split over the process grid; columns
/// are periodic, rows bounded by walls.
///
/// Collective: construction, initialize(), step(), gather(); all ranks pass the same
/// Space:      kernels on the instance given; step() returns when the last exchange has finished
/// Errors:     distview's, the same on all ranks
template <class Real>
class Model {
public:
    Model(const Exec& exec, const distview::Communicator& comm, const Options& options);

    /// Sets step 0.
    void initialize();
    void step();
    std::int64_t steps_done() const noexcept { return m_steps_done; }

    const Section& section() const noexcept { return m_section; }
    const distview::ProcessGrid& grid() const noexcept { return m_layout.grid(); }
    /// What this process sends in a step; nothing where neighbours read its arrays in place.
    int messages_per_step() const { return m_stepper->messages_per_step(); }

    const Array<Real>& h() const noexcept { return m_arrays[0]; }
    const Array<Real>& u() const noexcept { return m_arrays[1]; }
    const Array<Real>& v() const noexcept { return m_arrays[2]; }
    Field<Real> field(const Array<Real>& array) const;

    /// Copies of everything that a step reads and writes, for going back to.
    class Snapshot;
    Snapshot save() const;
    void restore(const Snapshot& snapshot);

    void fence(const char* reason) const { m_exec.fence(reason); }

private:
    Exec m_exec;
    distview::Communicator m_comm;
    Options m_options;
    distview::ArrayLayout m_layout;
    Section m_section;
    std::vector<Array<Real>> m_arrays; ///< h, u, v and the previous tendencies dh, du, dv
    std::unique_ptr<Stepper> m_stepper;
    std::int64_t m_steps_done = 0;
};

template <class Real>
class Model<Real>::Snapshot {
    friend class Model<Real>;
    std::vector<Array<Real>> m_arrays;
    std::int64_t m_steps_done = 0;
};

} // namespace shallow_water
