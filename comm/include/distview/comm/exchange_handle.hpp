// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/plan/padding_runners.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/plan/plan_in_flight.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/local_box.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <utility>

namespace distview {

class GatherPlan;
class GhostExchangePlan;
class MigrationPlan;
class PaddingExchangePlan;
class RedistributionPlan;

/// An execution of a plan in flight; made by start() and start_combine() of the plans.
///
/// Until finish() returns, what the execution reads must not be written, and what it writes must be neither read nor
/// written. Of a padding exchange it reads owned elements near the section's border and writes padding; combine() the
/// other way round. A redistribution reads sources and writes targets.
///
/// A handle that is destroyed without finish(), as by an exception, waits for nobody: what was to be written is not to
/// be relied on (others may still be writing targets), and the plan cannot be used again. Ranks that read this section
/// in place, or write it, get a UsageError from their finish() or their next execution. Ranks that get messages complete
/// the step that was abandoned, since its messages were sent when it began, and get a UsageError from a later step or
/// their next execution of the plan. When the communicator is closed, or MPI ends, they get up to 2 seconds to complete
/// their part.
///
/// Collective: finish() and finish_filling(), over the plan's communicator; finish(box) waits for some
///             neighbours; can_finish(), moves and the destructor are local
template <ExecutionSpace Exec, class Runner = impl::FillRunner>
class [[nodiscard]] ExchangeHandle {
public:
    ExchangeHandle(ExchangeHandle&&) noexcept = default;
    /// Abandons the execution that this was the handle of, if it is in flight.
    ExchangeHandle& operator=(ExchangeHandle&&) noexcept = default;

    /// Waits for elements of other ranks, moves them to where they belong, and waits until the others have read this
    /// section.
    ///
    /// Collective: over the plan's communicator, as execute(); of several plans in flight, in the same
    ///             order on all ranks (finish_filling() in any order)
    /// Space:      on the instance given to start(); on return all work has finished
    /// Touches:    writes the padding that the schedule names, or the elements that it copies, or the target's slice
    /// Cost:       no allocation; one kernel a rank that elements come from, or, to combine padding, one a region; on a
    ///             device one kernel for all padding, one for each pair of arrays, or a few that combine
    /// Errors:     UsageError if called twice, or after it has failed, or if a rank that is read in place, or reads, has abandoned an
    ///             execution of the plan; MpiError. After these the plan is unusable
    void finish() {
        impl::PlanCore& core = m_in_flight.core("ExchangeHandle::finish");
        const impl::PlanInFlight::AbandonUnlessDone guard(m_in_flight);
        std::shared_ptr<impl::PlanCore> ended; // outlives the region
        const Region region(m_is_observed, core, impl::Phase::finish, &core.labels.finish);
        for (;;) {
            impl::ExchangeBinding& binding = core.active();
            if constexpr (impl::on_device<Exec>) {
                move_on_device(core, binding);
            } else {
                while (const impl::Incoming* const incoming = wait(core, binding)) {
                    look_at(core, binding, *incoming);
                    m_runner.run(m_exec, core.labels, core.labels.incoming, binding.program(),
                                 incoming->batches);
                }
                m_runner.run(m_exec, core.labels, core.labels.incoming, binding.program(),
                             binding.program().last);
            }
            m_exec.fence(core.labels.fence_done);
            binding.end_reading();
            if constexpr (Runner::fills_padding) break; // such an execution has one step
            m_step = core.advance();
            if (!m_step) break;
            begin_step();
        }
        ended = m_in_flight.end();
        if (!m_waits_for_readers) return;
        const Region waiting(m_is_observed, core, impl::Phase::wait, &core.labels.wait);
        ended->wait_for_readers();
    }

    /// The same, but leaves it to the plan's next exchange to wait until the neighbours have read
    /// this section: what a step from one array to another needs, with one synchronisation a step.
    ///
    ///     plan.start(exec, u).finish_filling();   // u's padding is filled
    ///     compute(exec, u, v);                    // writes v, not u
    ///     plan.start(exec, v).finish_filling();   // now all have read u
    ///     compute(exec, v, u);
    ///
    /// Touches: until the plan's next start() or wait_for_readers() has returned, owned elements near
    ///          the section's border must not be written, nor the array be destroyed
    void finish_filling()
        requires Runner::fills_padding
    {
        m_waits_for_readers = false;
        finish();
    }

    /// Whether all that finish() would wait for before it moves elements is there already; of an execution in several
    /// steps, for those of the step in flight.
    ///
    /// Collective: no (local); lets MPI make progress
    bool can_finish() const {
        return m_in_flight.core("ExchangeHandle::can_finish").active().has_all_elements();
    }

    /// Waits only for the neighbours from whom positions of `box` are filled, and fills these (and
    /// perhaps more); finish() does the rest. On a device it fills all.
    ///
    /// Indices: positions of view(), padding included: box = plan.schedule().reads(cells) for a
    ///          kernel over `cells`. With fields of several layouts, those of each one's section
    /// Space:   on the instance given to start(); on return all work has finished
    /// Errors:  those of finish()
    void finish([[maybe_unused]] const LocalBox& box)
        requires Runner::fills_padding
    {
        const impl::PlanCore& core = m_in_flight.core("ExchangeHandle::finish");
        impl::PlanInFlight::AbandonUnlessDone guard(m_in_flight);
        const Region region(m_is_observed, core, impl::Phase::finish, nullptr);
        impl::ExchangeBinding& binding = core.active();
        if constexpr (impl::on_device<Exec>) {
            move_on_device(core, binding);
        } else {
            while (const impl::Incoming* const incoming = wait(core, binding, box, m_rank)) {
                look_at(core, binding, *incoming);
                m_runner.run(m_exec, core.labels, core.labels.incoming, binding.program(),
                             incoming->batches);
            }
        }
        m_exec.fence(core.labels.fence_done);
        guard.done();
    }

private:
    friend GatherPlan;
    friend GhostExchangePlan;
    friend MigrationPlan;
    friend PaddingExchangePlan;
    friend RedistributionPlan;

    /// An execution that begin_step() is to begin; `rank` is the number of axes of the first field.
    ExchangeHandle(std::shared_ptr<impl::PlanCore> core, const Exec& exec, const Runner& runner,
                   int rank, impl::CallWord::Kind call, const impl::ArraySet& arrays)
        : m_exec(exec), m_runner(runner), m_rank(rank),
          m_is_observed(core->is_recorded() || Kokkos::Profiling::profileLibraryLoaded()) {
        Region region(m_is_observed, *core, impl::Phase::start, &core->labels.start);
        m_step = &core->begin(call, arrays);
        m_in_flight = impl::PlanInFlight(std::move(core));
        m_is_starting = region.hand_over();
    }

    /// A phase that a report tells; with a label also a region of Kokkos Tools, which profilers show beside the kernels.
    class Region {
    public:
        Region(bool is_observed, const impl::PlanCore& core, impl::Phase phase,
               const std::string* label)
            : m_core(is_observed ? &core : nullptr), m_phase(phase), m_has_label(label != nullptr) {
            if (m_core) m_core->enter(m_phase, label);
        }
        /// Takes over a region with a label, if `is_entered`.
        Region(bool is_entered, const impl::PlanCore& core, impl::Phase phase)
            : m_core(is_entered ? &core : nullptr), m_phase(phase), m_has_label(true) {}
        Region(const Region&) = delete;
        Region& operator=(const Region&) = delete;
        ~Region() {
            if (m_core) m_core->leave(m_phase, m_has_label);
        }
        /// Whether it has been entered: another object leaves it.
        bool hand_over() noexcept { return std::exchange(m_core, nullptr) != nullptr; }

    private:
        const impl::PlanCore* m_core; ///< null: nobody looks
        impl::Phase m_phase;
        bool m_has_label;
    };

    template <class... Which>
    const impl::Incoming* wait(const impl::PlanCore& core, impl::ExchangeBinding& binding,
                               const Which&... which) const {
        const Region region(m_is_observed, core, impl::Phase::wait, &core.labels.wait);
        return binding.wait_for_elements(which...);
    }

    /// Before elements that have arrived are copied.
    void look_at(const impl::PlanCore& core, const impl::ExchangeBinding& binding,
                 const impl::Incoming& incoming) const {
        if constexpr (Runner::fills_padding) {
            if (m_is_observed) core.look_at(binding, incoming);
        }
    }

    /// Copies within the section, packs, and lets others have this section's elements. Those who make a handle call it:
    /// one call less on the way to the bytes than if the constructor did (docs/architecture.md).
    void begin_step() {
        const impl::PlanCore& core = m_in_flight.core("ExchangeHandle");
        const Region start(std::exchange(m_is_starting, false), core, impl::Phase::start);
        impl::ExchangeBinding& binding = *m_step;
        const impl::ExchangeProgram& program = binding.program();
        binding.post_receives();
        if constexpr (impl::on_device<Exec>) {
            {
                const Region region(m_is_observed, core, impl::Phase::pack, nullptr);
                m_runner.pack_on_device(m_exec, core.labels, program);
                m_exec.fence(core.labels.fence_ready);
            }
            binding.start_sends(core.epoch());
            m_runner.local_on_device(m_exec, core.labels, program);
        } else {
            const auto& labels = core.labels;
            m_runner.run(m_exec, labels, labels.local, program, program.first);
            {
                const Region region(m_is_observed, core, impl::Phase::pack, nullptr);
                m_runner.run(m_exec, labels, labels.pack, program, program.pack);
            }
            m_exec.fence(labels.fence_ready);
            binding.start_sends(core.epoch());
            m_runner.run(m_exec, labels, labels.local, program, program.local);
        }
    }

    /// Copies staged messages to the device as they come, and moves everything in as few kernels as can be.
    void move_on_device(const impl::PlanCore& core, impl::ExchangeBinding& binding) {
        bool any = false;
        while (const impl::Incoming* const incoming = wait(core, binding)) {
            binding.stage(impl::DeviceOf<Exec>::queue(m_exec), *incoming);
            any = true;
        }
        m_runner.incoming_on_device(m_exec, core.labels, binding.program(), any);
    }

    Exec m_exec;
    Runner m_runner;
    int m_rank;
    bool m_is_observed;         ///< by a report, or by Kokkos Tools
    bool m_is_starting = false; ///< observed, and the first step has not begun
    bool m_waits_for_readers = true;
    impl::ExchangeBinding* m_step = nullptr; ///< the one in flight, or to begin
    impl::PlanInFlight m_in_flight;
};

} // namespace distview
