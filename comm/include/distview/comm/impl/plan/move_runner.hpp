// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/move_tiles.hpp>
#include <distview/comm/impl/kernels/move_units.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/concepts.hpp>

#include <array>
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

/// Moves elements between pairs of arrays with these types, and converts and combines them; see FillRunner.
template <class Op, class... Pairs>
struct MoveRunner {
    static constexpr bool fills_padding = false;
    Op op;
    bool conjugate;

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels&, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        using Run = void (MoveRunner::*)(const Exec&, const std::string&, const ExchangeProgram&,
                                         const Batch&) const;
        constexpr std::array<Run, sizeof...(Pairs)> runs{
            &MoveRunner::run_units<typename Pairs::from_type, typename Pairs::to_type, Exec>...};
        for (const Batch& batch : batches) (this->*runs[batch.field])(exec, label, program, batch);
    }

private:
    /// Runs a batch of one pair of arrays.
    template <class From, class To, ExecutionSpace Exec>
    void run_units(const Exec& exec, const std::string& label, const ExchangeProgram& program,
                   const Batch& batch) const {
        if constexpr (on_device<Exec>) {
            const DeviceTable<DeviceMove>& moves = program.moves.data()[batch.begin];
            if (batch.kind == Batch::Kind::pack)
                move_tiles<From, From>(exec, label, moves, Insert{}, false);
            else
                move_tiles<From, To>(exec, label, moves, op, conjugate);
        } else {
            using Copy = Mover<From, From, Insert>;
            const MoveUnits& units = program.units;
            const bool streams =
                units.elements * static_cast<std::int64_t>(sizeof(To)) >= tuning::streamed_bytes;
            const int begin = batch.begin;
            const int end = batch.end;
            if (batch.kind == Batch::Kind::pack)
                return run_boxes(exec, label, begin, end, MoveUnitsBy<Copy>{&units, {}});
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
    }
};

} // namespace distview::impl
