// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/move_tiles.hpp>
#include <distview/comm/impl/kernels/move_units.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/hash.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

constexpr std::uint16_t operation_code(const Insert&) noexcept { return 0; }

/// Adds a factor; adds nothing for a number type of the program.
template <class Factor>
void add_factor(Hash& hash, const Factor& factor) noexcept {
    if constexpr (std::convertible_to<Factor, double>)
        hash.add(static_cast<double>(factor) + 0.0).add(0.0); // 0.0, not -0.0
    else if constexpr (requires { hash.add(static_cast<double>(factor.imag())); })
        hash.add(static_cast<double>(factor.real()) + 0.0)
            .add(static_cast<double>(factor.imag()) + 0.0);
}
template <class Alpha, class Beta>
std::uint16_t operation_code(const LinearUpdate<Alpha, Beta>& update) noexcept {
    if (update.inserts()) return 0;
    Hash hash;
    add_factor(hash, update.alpha);
    add_factor(hash, update.beta);
    constexpr std::uint64_t first = CallWord::operations.size() + 1;
    return static_cast<std::uint16_t>(first + hash.value() % (0x10000 - first));
}

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
