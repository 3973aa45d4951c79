// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "parameters.hpp"
#include "section.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/io/file_options.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace shallow_water {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Arrays in the memory of the space whose kernels advance them.
template <class Real, class Space = Exec>
using Array = distview::DistView<Real**, Kokkos::LayoutRight, typename Space::memory_space>;

/// The process grid to use: the requested one, or, of the grids whose blocks are wide enough for the options, the grid
/// with the smallest exchange.
///
/// Errors: distview::LayoutError if a row or column of processes would own no cells or too few, UsageError if
///         the grid does not have `rank_count` processes
distview::ProcessGrid choose_grid(const Options& options, int rank_count);

/// The sequence of kernels and exchanges of one time step; one derived class for each sequence.
template <class Real, class Space = Exec>
class Stepper {
public:
    using Arrays = std::vector<Array<Real, Space>>;

    explicit Stepper(Arrays arrays) : m_arrays(std::move(arrays)) {}
    virtual ~Stepper() = default;
    /// Completes the initial state after its owned cells have been set.
    virtual void initialize(const Space& exec) = 0;
    /// Advances the state; `euler` in the first step of a run.
    virtual void step(const Space& exec, bool euler) = 0;
    /// Messages that this rank sends in one step, on average.
    virtual double messages_per_step() const = 0;

    /// h, u, v and the previous tendencies dh, du, dv, as after the last step.
    const Arrays& arrays() const noexcept { return m_arrays; }

protected:
    Arrays m_arrays;
};

/// The state of the model on all ranks, and the stepper that advances it.
///
/// Arrays are [row][column], south to north and west to east, split over the process grid; columns
/// are periodic, rows bounded by walls.
///
/// Collective: construction, initialize(), step(); all ranks pass the same arguments
/// Space:      arrays in the memory of Space, kernels on the given instance; step() returns when the last
///             exchange has finished
/// Errors:     UsageError if the options request tiles that do not exist; distview's errors; the same on all ranks
template <class Real, class Space = Exec>
class Model {
public:
    Model(const Space& exec, const distview::Communicator& comm, const Options& options);

    /// Sets step 0.
    void initialize();
    void step();
    std::int64_t steps_done() const noexcept { return m_steps_done; }

    const Section& section() const noexcept { return m_section; }
    const distview::ProcessGrid& grid() const noexcept { return m_layout.grid(); }
    /// Messages of this process in a step; none to neighbours that read its arrays in place.
    double messages_per_step() const { return m_stepper->messages_per_step(); }

    /// Valid until the next step.
    const Array<Real, Space>& h() const noexcept { return m_stepper->arrays()[0]; }
    const Array<Real, Space>& u() const noexcept { return m_stepper->arrays()[1]; }
    const Array<Real, Space>& v() const noexcept { return m_stepper->arrays()[2]; }
    /// The array in memory that the host can read: itself, or a copy. Waits for all kernels.
    Array<Real> on_host(const Array<Real, Space>& array) const;
    Field<Real> field(const Array<Real>& array) const;

    /// Copies of everything that a step reads and writes, for going back to this state.
    class Snapshot;
    Snapshot save() const;
    void restore(const Snapshot& snapshot);

    /// Everything that a step reads and writes, by its names in a file. In mode C these are the interiors of all fields.
    /// In mode P, where an exchange would not reproduce the padding, they include whole sections side by side.
    std::vector<distview::NamedArray> state() const;
    /// Continues from a state() that has been filled from a file; call it after initialize().
    void resume(std::int64_t steps_done);

    void fence(const char* reason) const { m_exec.fence(reason); }

private:
    Space m_exec;
    distview::Communicator m_comm;
    Options m_options;
    distview::ArrayLayout m_layout;
    Section m_section;
    std::unique_ptr<Stepper<Real, Space>> m_stepper;
    std::int64_t m_steps_done = 0;
};

template <class Real, class Space>
class Model<Real, Space>::Snapshot {
    friend class Model<Real, Space>;
    std::vector<Array<Real, Space>> m_arrays;
    std::int64_t m_steps_done = 0;
};

} // namespace shallow_water
