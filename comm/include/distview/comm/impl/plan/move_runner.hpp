// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_tiles.hpp>
#include <distview/comm/impl/kernels/move_units.hpp>
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

/// Moves some units of arrays of given types.
template <class From, class To, ExecutionSpace Exec, class Op>
void move_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const Batch& batch, const Op& op, bool conjugate) {
    const bool streams =
        units.elements * static_cast<std::int64_t>(sizeof(To)) >= tuning::streamed_bytes;
    move_units(exec, label, units, batch.begin, batch.end,
               Mover<From, To, Op>{op, conjugate, streams});
}

/// The same; special cases of alpha and beta look at less.
template <class From, class To, ExecutionSpace Exec, class Alpha, class Beta>
void move_typed(const Exec& exec, const std::string& label, const MoveUnits& units,
                const Batch& batch, const LinearUpdate<Alpha, Beta>& op, bool conjugate) {
    if (op.beta == Beta(0) && op.alpha == Alpha(1))
        move_typed<From, To>(exec, label, units, batch, Insert{}, conjugate);
    else if (op.beta == Beta(0))
        move_typed<From, To>(exec, label, units, batch, ScaledInsert<Alpha>{op.alpha}, conjugate);
    else
        move_units(exec, label, units, batch.begin, batch.end,
                   Mover<From, To, LinearUpdate<Alpha, Beta>>{op, conjugate, false});
}

/// Whether what is in a target goes into what becomes of it.
template <class Op>
bool reads_target(const Op&) {
    return reads_target<Op>();
}
template <class Alpha, class Beta>
bool reads_target(const LinearUpdate<Alpha, Beta>& op) {
    return !(op.beta == Beta(0));
}

/// Runs a batch of units of one pair of arrays, whose types are `Pair`.
template <class Pair, ExecutionSpace Exec, class Op>
void run_units(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
               const MoveUnits& units, const Batch& batch, const Op& op, bool conjugate) {
    using From = typename Pair::from_type;
    using To = typename Pair::to_type;
    switch (batch.kind) {
    case Batch::Kind::pack:
        return move_units(exec, labels.pack, units, batch.begin, batch.end,
                          Mover<From, From, Insert>{});
    case Batch::Kind::carry:
        return move_typed<From, From>(exec, label, units, batch, Insert{}, false);
    default: return move_typed<From, To>(exec, label, units, batch, op, conjugate);
    }
}

/// Moves elements between pairs of arrays with these types, converting and combining them; see FillRunner.
template <class Op, class... Pairs>
struct MoveRunner {
    static constexpr bool fills_padding = false;
    Op op;
    bool conjugate;

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
             const ExchangeProgram& program, const Batch& batch) const {
        using Run = void (*)(const Exec&, const PlanCore::Labels&, const std::string&,
                             const MoveUnits&, const Batch&, const Op&, bool);
        constexpr std::array<Run, sizeof...(Pairs)> runs{&run_units<Pairs, Exec, Op>...};
        runs[batch.field](exec, labels, label, program.units, batch, op, conjugate);
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
