// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/device_layer.hpp>
#include <distview/comm/impl/device_moves.hpp>
#include <distview/comm/impl/move_elements.hpp>
#include <distview/comm/impl/redistribution_engine.hpp>
#include <distview/comm/impl/swap_elements.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace distview {

namespace impl {

/// The element types of a source and its target.
template <class From, class To>
struct Moved {
    using from_type = From;
    using to_type = To;
};

/// Moves some units of arrays of given types.
template <class From, class To, ExecutionSpace Exec, class Op>
void move_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const RedistributionBinding::Batch& batch, const Op& op, bool conjugate) {
    /// More than caches hold for long.
    constexpr std::int64_t many_bytes = std::int64_t{1} << 22;
    const bool streams = units.elements * static_cast<std::int64_t>(sizeof(To)) >= many_bytes;
    move_units(exec, label, units, batch.begin, batch.end,
               Mover<From, To, Op>{op, conjugate, streams});
}

/// The same; special cases of alpha and beta look at less.
template <class From, class To, ExecutionSpace Exec, class Scalar>
void move_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const RedistributionBinding::Batch& batch, const LinearUpdate<Scalar>& op,
                bool conjugate) {
    if (op.beta == Scalar(0) && op.alpha == Scalar(1))
        move_typed<From, To>(exec, label, units, batch, Insert{}, conjugate);
    else if (op.beta == Scalar(0))
        move_typed<From, To>(exec, label, units, batch, ScaledInsert<Scalar>{op.alpha}, conjugate);
    else
        move_units(exec, label, units, batch.begin, batch.end,
                   Mover<From, To, LinearUpdate<Scalar>>{op, conjugate, false});
}

/// Whether what is in a target goes into what becomes of it.
template <class Op>
bool reads_target(const Op&) {
    return reads_target<Op>();
}
template <class Scalar>
bool reads_target(const LinearUpdate<Scalar>& op) {
    return !(op.beta == Scalar(0));
}

/// Makes elements of a batch change places; an operation that reads the target is refused before.
template <class From, class To, ExecutionSpace Exec, class Op>
void swap_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const RedistributionBinding::Batch& batch, const Op& op, bool conjugate) {
    if constexpr (sizeof(From) == sizeof(To) && !reads_target<Op>())
        swap_units(exec, label, units, batch.begin, batch.end,
                   Swapper<From, To, Op>{{op, conjugate, false},
                                         Mover<From, To, Op>::is_copy &&
                                             !(IsComplex<From>::value && conjugate)});
}
template <class From, class To, ExecutionSpace Exec, class Scalar>
void swap_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const RedistributionBinding::Batch& batch, const LinearUpdate<Scalar>& op,
                bool conjugate) {
    swap_typed<From, To>(exec, label, units, batch, ScaledInsert<Scalar>{op.alpha}, conjugate);
}

/// What is to be done with a batch.
template <class From, class To, ExecutionSpace Exec, class Op>
void run_batch(const Exec& exec, const RedistributionEngine& engine, const MoveUnits& units,
               const RedistributionBinding::Batch& batch, const Op& op) {
    using Kind = RedistributionBinding::Batch::Kind;
    const auto& labels = engine.labels;
    switch (batch.kind) {
    case Kind::move:
        return move_typed<From, To>(exec, labels.move, units, batch, op, engine.conjugate());
    case Kind::pack:
        return move_units(exec, labels.pack, units, batch.begin, batch.end,
                          Mover<From, From, Insert>{});
    case Kind::carry:
        return move_typed<From, From>(exec, labels.move, units, batch, Insert{}, false);
    case Kind::swap:
        return swap_typed<From, To>(exec, labels.swap, units, batch, op, engine.conjugate());
    }
}

} // namespace impl

/// A redistribution in flight; made by RedistributionPlan::start().
///
/// Until finish() returns, sources must not be written and targets must be neither read nor written.
///
/// A handle that is destroyed without finish(), as by an exception, waits for nobody: targets are left
/// as they are, written in part (others may still be writing them), and the plan cannot be used again.
/// Processes that read this section in place, or write it, get a UsageError from their finish() or their
/// next execution. Processes that get messages complete the step that was abandoned, since its messages were
/// sent when it began, and get a UsageError from a later step or their next execution of the plan. When the
/// communicator is closed, or MPI ends, they get up to 2 seconds to complete their part.
///
/// Collective: finish(), over the plan's communicator; moves and the destructor are local
template <ExecutionSpace Exec, class Op, class... Pairs>
class [[nodiscard]] RedistributionHandle {
public:
    RedistributionHandle(std::shared_ptr<impl::RedistributionEngine> engine, const Exec& exec,
                         const Op& op) noexcept
        : m_in_flight(std::move(engine)), m_exec(exec), m_op(op) {}
    RedistributionHandle(RedistributionHandle&&) noexcept = default;

    /// Takes what comes from others, as it comes, and waits until they have read this section; or writes
    /// what others get, and waits until they have written theirs.
    ///
    /// Collective: over the plan's communicator; of several plans in flight, in the same order on all ranks
    /// Space:      on the instance given to start(); on return all work has finished
    /// Touches:    writes the elements of the target's slice, one pass over memory
    /// Cost:       no allocation; one kernel for each process that elements come from, or one for all of
    ///             them where they are written in place; on a device one for each pair of arrays
    /// Errors:     UsageError if called twice, or if a process that this one reads or writes in place, or that
    ///             does so here, has abandoned an execution of the plan; MpiError. After these the plan is unusable
    void finish() {
        auto& engine = m_in_flight.engine("RedistributionHandle::finish");
        for (;;) {
            auto& binding = engine.active();
            if constexpr (impl::on_device<Exec>) {
                while (const auto* const partner = binding.wait_for_elements())
                    binding.stage(impl::DeviceOf<Exec>::queue(m_exec), *partner);
                move_on_device(engine.labels.move, binding.on_device().incoming);
            } else {
                while (const auto* const partner = binding.wait_for_elements())
                    run(binding, partner->batches);
            }
            m_exec.fence(engine.labels.fence_done);
            binding.end_reading();
            if (!engine.advance()) break;
            begin_step();
        }
        m_in_flight.end()->wait_for_readers();
    }

    /// Whether finish() would not have to wait for elements, or for targets that it writes; of several steps,
    /// for those of the first.
    ///
    /// Collective: no (local); lets MPI make progress
    bool can_finish() const {
        return m_in_flight.engine("RedistributionHandle::can_finish").active().has_all_elements();
    }

    /// Lets others have this section's elements, and moves those that stay; for RedistributionPlan::start().
    void begin_step() {
        auto& engine = m_in_flight.engine("RedistributionPlan::start");
        auto& binding = engine.active();
        binding.post_receives();
        if constexpr (impl::on_device<Exec>)
            pack_on_device(engine.labels.pack, binding.on_device().pack);
        else
            run(binding, binding.pack());
        m_exec.fence(engine.labels.fence_ready);
        binding.start_sends(engine.epoch());
        if constexpr (impl::on_device<Exec>)
            move_on_device(engine.labels.move_local, binding.on_device().local);
        else
            run(binding, binding.local());
    }

private:
    using Run = void (*)(const Exec&, const impl::RedistributionEngine&, const impl::MoveUnits&,
                         const impl::RedistributionBinding::Batch&, const Op&);

    void run(const impl::RedistributionBinding& binding,
             const std::vector<impl::RedistributionBinding::Batch>& batches) {
        constexpr std::array<Run, sizeof...(Pairs)> runs{
            &impl::run_batch<typename Pairs::from_type, typename Pairs::to_type, Exec, Op>...};
        const auto& engine = m_in_flight.engine("RedistributionHandle");
        for (const auto& batch : batches)
            runs[batch.pair](m_exec, engine, binding.units(), batch, m_op);
    }

    using MoveOnDevice = void (*)(const Exec&, const std::string&, const impl::DeviceMoves&,
                                  const Op&, bool);
    static constexpr std::array<MoveOnDevice, sizeof...(Pairs)> device_moves{
        [](const Exec& exec, const std::string& label, const impl::DeviceMoves& table, const Op& op,
           bool conjugate) {
            impl::move_tiles<typename Pairs::from_type, typename Pairs::to_type>(exec, label, table,
                                                                                 op, conjugate);
        }...};

    void move_on_device(const std::string& label, const std::vector<impl::DeviceMoves>& tables) {
        const bool conjugate = m_in_flight.engine("RedistributionHandle").conjugate();
        for (std::size_t pair = 0; pair < tables.size(); ++pair)
            device_moves[pair](m_exec, label, tables[pair], m_op, conjugate);
    }

    using PackOnDevice = void (*)(const Exec&, const std::string&, const impl::DeviceMoves&);
    void pack_on_device(const std::string& label, const std::vector<impl::DeviceMoves>& tables) {
        constexpr std::array<PackOnDevice, sizeof...(Pairs)> packers{
            [](const Exec& exec, const std::string& name, const impl::DeviceMoves& table) {
                using Value = typename Pairs::from_type;
                impl::move_tiles<Value, Value>(exec, name, table, impl::Insert{}, false);
            }...};
        for (std::size_t pair = 0; pair < tables.size(); ++pair)
            packers[pair](m_exec, label, tables[pair]);
    }

    impl::RedistributionInFlight m_in_flight;
    Exec m_exec;
    Op m_op;
};

} // namespace distview
