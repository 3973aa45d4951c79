// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/combine_box.hpp>
#include <distview/comm/impl/device_exchange.hpp>
#include <distview/comm/impl/padding_exchange_engine.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/local_box.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview {

/// A padding exchange in flight; made by PaddingExchangePlan::start().
///
/// Until finish() returns, the fields' owned elements near the section's border must not be written
/// and their padding must be neither read nor written.
///
/// A handle that is destroyed without finish(), as by an exception, waits for nobody: what the padding
/// holds is not to be relied on and the plan cannot be used again. Neighbours that read this section in
/// place get a UsageError from their finish() or their next exchange. Neighbours that get messages complete
/// the exchange that was abandoned, since its messages were sent by start(), and get a UsageError from their
/// next exchange of the plan. When the communicator is closed, or MPI ends, they get up to 2 seconds to complete
/// their part.
///
/// Collective: finish() and finish_filling(), over the plan's communicator; finish(box) waits for some
///             neighbours; can_finish(), moves and the destructor are local
template <ExecutionSpace Exec>
class [[nodiscard]] ExchangeHandle {
public:
    ExchangeHandle(std::shared_ptr<impl::PaddingExchangeEngine> engine, const Exec& exec) noexcept
        : m_exchange(std::move(engine)), m_exec(exec) {}
    ExchangeHandle(ExchangeHandle&&) noexcept = default;
    /// Abandons the exchange that this was the handle of, if it is in flight.
    ExchangeHandle& operator=(ExchangeHandle&&) noexcept = default;

    /// Waits for the neighbours, fills the padding and waits until they have read this section.
    ///
    /// Collective: over the plan's communicator, as execute(); of several plans in flight, in the same
    ///             order on all ranks (finish_filling() in any order)
    /// Space:      on the instance given to start(); on return all work has finished
    /// Touches:    writes the padding that the schedule names
    /// Cost:       no allocation; one kernel a neighbour, on a device one kernel for all
    /// Errors:     UsageError if called twice, or if a neighbour that is read in place, or reads, has
    ///             abandoned an exchange of the plan; MpiError. After these the plan is unusable
    void finish() { fill()->wait_for_readers(); }

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
    void finish_filling() { fill(); }

    /// Whether all that finish() would wait for before it has filled the padding is there already.
    ///
    /// Collective: no (local); lets MPI make progress
    bool can_finish() const {
        return m_exchange.engine("ExchangeHandle::can_finish").active().has_all_elements();
    }

    /// Waits only for the neighbours from whom positions of `box` are filled, and fills these (and
    /// perhaps more); finish() does the rest. On a device it fills all.
    ///
    /// Indices: positions of view(), padding included: box = plan.schedule().reads(cells) for a
    ///          kernel over `cells`. With fields of several layouts, those of each one's section
    /// Space:   on the instance given to start(); on return all work has finished
    /// Errors:  those of finish()
    void finish([[maybe_unused]] const LocalBox& box) {
        auto& engine = m_exchange.engine("ExchangeHandle::finish");
        auto& binding = engine.active();
        if constexpr (impl::on_device<Exec>) {
            impl::fill_on_device(m_exec, engine, binding);
        } else {
            while (const auto arrived = binding.wait_for_elements(box, engine.rank()))
                copy(engine, binding, *arrived);
        }
        m_exec.fence(engine.labels.fence_done);
    }

private:
    std::shared_ptr<impl::PaddingExchangeEngine> fill() {
        auto& engine = m_exchange.engine("ExchangeHandle::finish");
        auto& binding = engine.active();
        if constexpr (impl::on_device<Exec>) {
            impl::fill_on_device(m_exec, engine, binding);
        } else {
            while (const auto arrived = binding.wait_for_elements())
                copy(engine, binding, *arrived);
        }
        m_exec.fence(engine.labels.fence_done);
        binding.end_reading();
        return m_exchange.end();
    }

    void copy(const impl::PaddingExchangeEngine& engine,
              const impl::PaddingExchangeBinding& binding,
              const impl::PaddingExchangeBinding::Arrived& arrived) {
        const std::vector<impl::CopyBox>& incoming = binding.copies().incoming;
        impl::copy_boxes(m_exec, engine.labels.unpack, incoming.data(), arrived.begin, arrived.end);
    }

    impl::ExchangeInFlight m_exchange;
    Exec m_exec;
};

/// A combination of padding with the elements that it copies, in flight; made by
/// PaddingExchangePlan::start_combine().
///
/// Until finish() returns, the fields' padding must not be written and their owned elements must be
/// neither read nor written. Destroyed without finish() it does what ExchangeHandle does.
///
/// Collective: finish(), over the plan's communicator; moves and the destructor are local
template <ExecutionSpace Exec, class Op, class... Values>
class [[nodiscard]] CombineHandle {
public:
    CombineHandle(std::shared_ptr<impl::PaddingExchangeEngine> engine, const Exec& exec,
                  const Op& op) noexcept
        : m_exchange(std::move(engine)), m_exec(exec), m_op(op) {}

    /// Waits for the neighbours, combines and waits until they have read this section's padding.
    ///
    /// Collective: over the plan's communicator
    /// Space:      on the instance given to start_combine(); on return all work has finished
    /// Touches:    writes owned elements near the section's border; the padding is left as it is
    /// Cost:       no allocation; one kernel a region of the schedule
    /// Errors:     those of ExchangeHandle::finish()
    void finish() {
        auto& engine = m_exchange.engine("CombineHandle::finish");
        auto& binding = engine.active();
        const impl::ExchangeCopies& copies = binding.copies();
        // One after the other, in an order that is always the same: several may go to one element.
        if constexpr (impl::on_device<Exec>) {
            impl::wait_on_device(m_exec, binding);
            for (const auto& part : copies.on_device.combined)
                device_combiners[part.field](m_exec, engine.labels.combine, part.regions, m_op);
        } else {
            while (binding.wait_for_elements()) {
            }
            for (const auto& part : copies.combinations)
                combiners[part.field](m_exec, engine.labels.combine, copies.combined.data(),
                                      part.begin, part.end, m_op);
        }
        m_exec.fence(engine.labels.fence_done);
        binding.end_reading();
        m_exchange.end()->wait_for_readers();
    }

private:
    using Combiner = void (*)(const Exec&, const std::string&, const impl::CopyBox*, int, int,
                              const Op&);
    static constexpr std::array<Combiner, sizeof...(Values)> combiners{
        impl::combine_boxes<Values, Exec, Op>...};

    using DeviceCombiner = void (*)(const Exec&, const std::string&, const impl::DeviceRegions&,
                                    const Op&);
    static constexpr std::array<DeviceCombiner, sizeof...(Values)> device_combiners{
        impl::combine_regions<Values, Exec, Op>...};

    impl::ExchangeInFlight m_exchange;
    Exec m_exec;
    Op m_op;
};

} // namespace distview
