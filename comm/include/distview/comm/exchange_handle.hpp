// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/plan/padding_runners.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/error.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/text.hpp>

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

namespace impl {

/// An execution that has begun. If end() does not end it, the destructor abandons it.
class PlanInFlight {
public:
    PlanInFlight() noexcept = default;
    explicit PlanInFlight(std::shared_ptr<PlanCore> core) noexcept : m_core(std::move(core)) {}
    ~PlanInFlight() {
        if (m_core) m_core->abandon();
    }
    PlanInFlight(PlanInFlight&&) noexcept = default;
    PlanInFlight& operator=(PlanInFlight&& other) noexcept {
        PlanInFlight taken(std::move(other));
        std::swap(m_core, taken.m_core);
        std::swap(m_state, taken.m_state);
        return *this;
    }

    /// Throws UsageError, naming `caller`, if the execution has ended or failed, or the handle was moved from.
    PlanCore& core(const char* caller, const char* if_ended = "called twice") const {
        require<UsageError>(m_core != nullptr, [&] {
            switch (m_state) {
            case State::ended: return text(caller, ": ", if_ended);
            case State::failed: return text(caller, ": the execution has already failed");
            case State::under_way: break;
            }
            return text(caller,
                        ": this handle has been moved from; use the handle that it was moved to");
        });
        return *m_core;
    }
    std::shared_ptr<PlanCore> end() noexcept {
        m_state = State::ended;
        m_core->end();
        return std::move(m_core);
    }

    /// Abandons the execution on destruction, unless it has ended or done() was called: after an exception other ranks
    /// learn at once that this rank stopped, even if the handle lives on.
    class AbandonUnlessDone {
    public:
        explicit AbandonUnlessDone(PlanInFlight& execution) noexcept : m_execution(&execution) {}
        AbandonUnlessDone(const AbandonUnlessDone&) = delete;
        AbandonUnlessDone& operator=(const AbandonUnlessDone&) = delete;
        ~AbandonUnlessDone() {
            if (m_execution) m_execution->fail();
        }
        /// Leaves the execution in flight.
        void done() noexcept { m_execution = nullptr; }

    private:
        PlanInFlight* m_execution;
    };

private:
    void fail() noexcept {
        if (!m_core) return;
        std::exchange(m_core, nullptr)->abandon();
        m_state = State::failed;
    }

    std::shared_ptr<PlanCore> m_core;
    enum class State { under_way, ended, failed };
    State m_state = State::under_way;
};

} // namespace impl

/// An execution of a plan in flight; made by start() and start_combine() of the plans.
///
/// Until finish() returns, the program must not write elements that the execution reads, and must neither read nor
/// write elements that it writes. A padding exchange reads owned elements near the section's border and writes padding;
/// combine() reads padding and writes owned elements. A redistribution reads sources and writes targets.
///
/// If a handle is destroyed without finish(), for example by an exception, it does not wait for other ranks: the
/// elements to write are undefined (other ranks may still write targets), and the plan cannot be used again. Ranks that
/// read or write this section in place get a UsageError from their finish() or their next execution. Ranks that
/// exchange messages complete the abandoned step, because its messages were sent when it began, and get a UsageError
/// from a later step or their next execution of the plan. When the communicator is closed, or MPI ends, they have up
/// to 2 seconds to complete their part.
///
/// Collective: finish() and finish_filling(), over the plan's communicator; finish(box) waits for some
///             neighbours; can_finish(), moves and the destructor are local
template <ExecutionSpace Exec, class Runner = impl::FillRunner>
class [[nodiscard]] ExchangeHandle {
public:
    ExchangeHandle(ExchangeHandle&&) noexcept = default;
    /// Abandons this handle's execution if it is in flight, then takes over the other handle's.
    ExchangeHandle& operator=(ExchangeHandle&&) noexcept = default;

    /// Waits for elements of other ranks, moves them to their places, and waits until the other ranks have read this
    /// section.
    ///
    /// Collective: over the plan's communicator, as execute(); with several plans in flight, in the same
    ///             order on all ranks (finish_filling() in any order)
    /// Space:      on the instance given to start(); on return all work has finished
    /// Touches:    writes the schedule's padding, or, to combine, the owned elements, or the target's slice
    /// Cost:       no allocation; one kernel for each rank that elements arrive from, or, to combine padding, for each
    ///             region; on a device one kernel for all padding, one for each pair of arrays, or a few that combine
    /// Errors:     UsageError if called twice or after a failure, or if a rank that reads or is read in place abandoned
    ///             an execution of the plan; MpiError. After these errors the plan is unusable
    void finish() {
        impl::PlanCore& core = m_in_flight.core("ExchangeHandle::finish");
        const impl::PlanInFlight::AbandonUnlessDone guard(m_in_flight);
        std::shared_ptr<impl::PlanCore> ended; // outlives the region
        const Region region(m_is_observed, core, impl::Phase::finish, &core.labels.finish);
        for (;;) {
            impl::ExchangeBinding& binding = core.active();
            const impl::ExchangeProgram& program = binding.program();
            while (const impl::Incoming* const incoming = wait(core, binding))
                m_runner.run(m_exec, core.labels, core.labels.incoming, program, incoming->batches);
            if (!m_has_moved_last)
                m_runner.run(m_exec, core.labels, core.labels.incoming, program, program.last);
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

    /// The same, but the plan's next exchange waits until the neighbours have read this section. For time
    /// steps that alternate between two arrays, with one synchronisation per step.
    ///
    ///     plan.start(exec, u).finish_filling();   // u's padding is filled
    ///     compute(exec, u, v);                    // writes v, not u
    ///     plan.start(exec, v).finish_filling();   // now all have read u
    ///     compute(exec, v, u);
    ///
    /// Touches: until the plan's next start() or wait_for_readers() returns, owned elements near the
    ///          section's border must not be written, and the array must not be destroyed
    void finish_filling()
        requires Runner::fills_padding
    {
        m_waits_for_readers = false;
        finish();
    }

    /// Whether all elements for which finish() would wait have arrived; if an execution has several steps, the elements
    /// of the step in flight.
    ///
    /// Collective: no (local); lets MPI make progress
    /// Errors:     MpiError if a message failed, for example from a process that has ended; finish() then throws, too
    bool can_finish() const {
        return m_in_flight.core("ExchangeHandle::can_finish", "called after finish()")
            .active()
            .has_all_elements();
    }

    /// Waits only for the neighbours that own elements of the padding in `box`, and fills these positions
    /// (and perhaps more); finish() fills the rest. On a device it fills all padding.
    ///
    /// Indices: positions of view(), padding included: box = plan.schedule().reads(cells) for a
    ///          kernel over `cells`. If fields have several layouts, positions of each field's section
    /// Space:   on the instance given to start(); on return all work has finished
    /// Errors:  those of finish()
    void finish([[maybe_unused]] const LocalBox& box)
        requires Runner::fills_padding
    {
        const impl::PlanCore& core = m_in_flight.core("ExchangeHandle::finish");
        impl::PlanInFlight::AbandonUnlessDone guard(m_in_flight);
        const Region region(m_is_observed, core, impl::Phase::finish, nullptr);
        impl::ExchangeBinding& binding = core.active();
        const impl::ExchangeProgram& program = binding.program();
        if constexpr (impl::on_device<Exec>) {
            while (wait(core, binding)) continue; // staged; one kernel moves all
            if (!std::exchange(m_has_moved_last, true))
                m_runner.run(m_exec, core.labels, core.labels.incoming, program, program.last);
        } else {
            while (const impl::Incoming* const incoming = wait(core, binding, box))
                m_runner.run(m_exec, core.labels, core.labels.incoming, program, incoming->batches);
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

    /// Prepares an execution, which begin_step() begins.
    ExchangeHandle(std::shared_ptr<impl::PlanCore> core, const Exec& exec, const Runner& runner,
                   impl::CallWord::Kind call, const impl::ArraySet& arrays)
        : m_exec(exec), m_runner(runner),
          m_is_observed(core->is_recorded() || Kokkos::Profiling::profileLibraryLoaded()) {
        Region region(m_is_observed, *core, impl::Phase::start, &core->labels.start);
        m_step = &core->begin(call, arrays);
        m_in_flight = impl::PlanInFlight(std::move(core));
        m_is_starting = region.hand_over();
    }

    /// Measures a phase for a report; with a label also a region of Kokkos Tools, which profilers show beside kernels.
    class Region {
    public:
        Region(bool is_observed, const impl::PlanCore& core, impl::Phase phase,
               const std::string* label)
            : m_core(is_observed ? &core : nullptr), m_phase(phase), m_has_label(label != nullptr) {
            if (m_core) m_core->enter(m_phase, label);
        }
        /// Takes over a region with a label if `is_entered`.
        Region(bool is_entered, const impl::PlanCore& core, impl::Phase phase)
            : m_core(is_entered ? &core : nullptr), m_phase(phase), m_has_label(true) {}
        Region(const Region&) = delete;
        Region& operator=(const Region&) = delete;
        ~Region() {
            if (m_core) m_core->leave(m_phase, m_has_label);
        }
        /// Leaves the region to another object; returns whether it was entered.
        bool hand_over() noexcept { return std::exchange(m_core, nullptr) != nullptr; }

    private:
        const impl::PlanCore* m_core; ///< null: not observed
        impl::Phase m_phase;
        bool m_has_label;
    };

    /// Waits for elements and returns where to copy them from; null if no more arrive.
    template <class... Which>
    const impl::Incoming* wait(const impl::PlanCore& core, impl::ExchangeBinding& binding,
                               const Which&... which) const {
        const impl::Incoming* incoming = nullptr;
        {
            const Region region(m_is_observed, core, impl::Phase::wait, &core.labels.wait);
            incoming = binding.wait_for_elements(which...);
        }
        if constexpr (impl::on_device<Exec>)
            if (incoming) binding.stage(impl::DeviceOf<Exec>::queue(m_exec), *incoming);
        if constexpr (Runner::fills_padding)
            if (m_is_observed && incoming) core.look_at(binding, *incoming);
        return incoming;
    }

    /// Copies within the section, packs, and makes this section's elements available to other ranks. The functions that
    /// make a handle call begin_step(), not the constructor: that saves a call on the way to the bytes
    /// (docs/architecture.md). They return the handle as a named variable: a move would copy the execution space.
    void begin_step() {
        const impl::PlanCore& core = m_in_flight.core("ExchangeHandle");
        const Region start(std::exchange(m_is_starting, false), core, impl::Phase::start);
        impl::ExchangeBinding& binding = *m_step;
        const impl::ExchangeProgram& program = binding.program();
        binding.post_receives();
        const auto& labels = core.labels;
        m_runner.run(m_exec, labels, labels.local, program, program.first);
        {
            const Region region(m_is_observed, core, impl::Phase::pack, nullptr);
            m_runner.run(m_exec, labels, labels.pack, program, program.pack);
            m_exec.fence(labels.fence_ready);
        }
        binding.start_sends(core.epoch());
        m_runner.run(m_exec, labels, labels.local, program, program.local);
    }

    Exec m_exec;
    Runner m_runner;
    bool m_is_observed;         ///< by a report, or by Kokkos Tools
    bool m_is_starting = false; ///< observed, before the first step
    bool m_waits_for_readers = true;
    bool m_has_moved_last = false;           ///< by finish(box) on a device
    impl::ExchangeBinding* m_step = nullptr; ///< in flight, or next to begin
    impl::PlanInFlight m_in_flight;
};

} // namespace distview
