// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_tiles.hpp>
#include <distview/comm/impl/kernels/move_units.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// The element types of a source and its target.
template <class From, class To>
struct Moved {
    using from_type = From;
    using to_type = To;
};

/// Moves elements between pairs of arrays with these types, converting and combining them; see FillRunner.
template <class Op, class... Pairs>
struct MoveRunner {
    static constexpr bool fills_padding = false;
    Op op;
    bool conjugate;

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        using Run = void (MoveRunner::*)(const Exec&, const PlanCore::Labels&, const std::string&,
                                         const MoveUnits&, const Batch&) const;
        constexpr std::array<Run, sizeof...(Pairs)> runs{
            &MoveRunner::run_units<typename Pairs::from_type, typename Pairs::to_type, Exec>...};
        for (const Batch& batch : batches)
            (this->*runs[batch.field])(exec, labels, label, program.units, batch);
    }

    template <ExecutionSpace Exec>
    void pack_on_device(const Exec& exec, const PlanCore::Labels& labels,
                        const ExchangeProgram& program) const {
        using Pack = void (*)(const Exec&, const std::string&, const DeviceMoves&);
        constexpr std::array<Pack, sizeof...(Pairs)> packs{
            [](const Exec& space, const std::string& label, const DeviceMoves& moves) {
                using Value = typename Pairs::from_type;
                move_tiles<Value, Value>(space, label, moves, Insert{}, false);
            }...};
        const std::vector<DeviceMoves>& moves = program.on_device.pack_moves;
        for (std::size_t pair = 0; pair < moves.size(); ++pair)
            packs[pair](exec, labels.pack, moves[pair]);
    }
    template <ExecutionSpace Exec>
    void local_on_device(const Exec& exec, const PlanCore::Labels& labels,
                         const ExchangeProgram& program) const {
        move_on_device(exec, labels.local, program.on_device.local_moves);
    }
    template <ExecutionSpace Exec>
    void incoming_on_device(const Exec& exec, const PlanCore::Labels& labels,
                            const ExchangeProgram& program, bool) const {
        move_on_device(exec, labels.incoming, program.on_device.incoming_moves);
    }

private:
    /// Runs a batch of units of one pair of arrays.
    template <class From, class To, ExecutionSpace Exec>
    void run_units(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
                   const MoveUnits& units, const Batch& batch) const {
        using Copy = Mover<From, From, Insert>;
        const bool streams =
            units.elements * static_cast<std::int64_t>(sizeof(To)) >= tuning::streamed_bytes;
        const int begin = batch.begin;
        const int end = batch.end;
        if (batch.kind == Batch::Kind::pack)
            return run_boxes(exec, labels.pack, begin, end, MoveUnitsBy<Copy>{&units, {}});
        if (batch.kind == Batch::Kind::carry)
            return run_boxes(exec, label, begin, end,
                             MoveUnitsBy<Copy>{&units, {{}, false, streams}});
        if constexpr (requires { op.ignores_target(); }) { // special cases of alpha and beta
            using Scaled = Mover<From, To, ScaledInsert<decltype(op.alpha)>>;
            if (op.inserts())
                return run_boxes(
                    exec, label, begin, end,
                    MoveUnitsBy<Mover<From, To, Insert>>{&units, {{}, conjugate, streams}});
            if (op.ignores_target())
                return run_boxes(exec, label, begin, end,
                                 MoveUnitsBy<Scaled>{&units, {{op.alpha}, conjugate}});
        }
        run_boxes(exec, label, begin, end,
                  MoveUnitsBy<Mover<From, To, Op>>{&units, {op, conjugate, streams}});
    }

    template <ExecutionSpace Exec>
    void move_on_device(const Exec& exec, const std::string& label,
                        const std::vector<DeviceMoves>& moves) const {
        using Move = void (*)(const Exec&, const std::string&, const DeviceMoves&, const Op&, bool);
        constexpr std::array<Move, sizeof...(Pairs)> kernels{
            [](const Exec& space, const std::string& name, const DeviceMoves& table,
               const Op& operation, bool conjugates) {
                move_tiles<typename Pairs::from_type, typename Pairs::to_type>(
                    space, name, table, operation, conjugates);
            }...};
        for (std::size_t pair = 0; pair < moves.size(); ++pair)
            kernels[pair](exec, label, moves[pair], op, conjugate);
    }
};

} // namespace distview::impl
