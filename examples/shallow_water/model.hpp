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

/// In the memory of the space whose kernels advance it.
template <class Real, class Space = Exec>
using Array = distview::DistView<Real**, Kokkos::LayoutRight, typename Space::memory_space>;

/// The process grid to use: the one asked for, else of those whose blocks are wide enough for what is asked for the one
/// that exchanges least.
///
/// Errors: distview::LayoutError if a row or column of processes would own no cells, or too few, UsageError if
///         the grid is not one of `rank_count` processes
distview::ProcessGrid choose_grid(const Options& options, int rank_count);

/// How one time step's kernels and exchanges follow each other; one class for each way.
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

    /// h, u, v and the previous tendencies dh, du, dv, as the last step has left them.
    const Arrays& arrays() const noexcept { return m_arrays; }

protected:
    Arrays m_arrays;
};

/// The state of the model on all ranks, and how it is advanced.
///
/// Arrays are [row][column], south to north and west to east, split over the process grid; columns
/// are periodic, rows bounded by walls.
///
/// Collective: construction, initialize(), step(); all ranks pass the same
/// Space:      arrays in the memory of Space, kernels on the instance given; step() returns when the last
///             exchange has finished
/// Errors:     UsageError if tiles are asked for where there are none; distview's; the same on all ranks
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
    /// What this process sends in a step; nothing where neighbours read its arrays in place.
    double messages_per_step() const { return m_stepper->messages_per_step(); }

    /// Valid until the next step.
    const Array<Real, Space>& h() const noexcept { return m_stepper->arrays()[0]; }
    const Array<Real, Space>& u() const noexcept { return m_stepper->arrays()[1]; }
    const Array<Real, Space>& v() const noexcept { return m_stepper->arrays()[2]; }
    /// The array where the host can read it: itself, or a copy. Waits for all kernels.
    Array<Real> on_host(const Array<Real, Space>& array) const;
    Field<Real> field(const Array<Real>& array) const;

    /// Copies of everything that a step reads and writes, for going back to.
    class Snapshot;
    Snapshot save() const;
    void restore(const Snapshot& snapshot);

    /// All that a step reads and writes, by its names in a file. In mode C these are the interiors of all fields; in mode P,
    /// where padding is not what an exchange would make of it, whole sections too, one beside the other.
    std::vector<distview::NamedArray> state() const;
    /// Goes on from what state() has been filled with; after initialize().
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
