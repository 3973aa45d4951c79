// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_points.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A runner (see padding_runners.hpp) of elements that move from lists to lists, both of which each execution is given.
template <std::size_t Fields>
struct MigrationRunner {
    static constexpr bool fills_padding = false;
    std::array<char*, Fields> from{};
    std::array<char*, Fields> to{};

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels&, const std::string& label,
             const ExchangeProgram& program, const Batch& batch) const {
        const PointMoves* const pieces = program.points.data();
        char* const source = from[batch.field];
        char* const target = to[batch.field];
        run_boxes(
            exec, label, batch.begin, batch.end,
            [=](int i) { copy_points(between(pieces[i], source, target), nullptr); },
            [=] {
                std::int64_t bytes = 0;
                for (int i = batch.begin; i < batch.end; ++i)
                    bytes += pieces[i].count * tuning::cache_line;
                return bytes;
            });
    }

    template <ExecutionSpace Exec>
    void pack_on_device(const Exec& exec, const PlanCore::Labels& labels,
                        const ExchangeProgram& program) const {
        move_on_device(exec, labels.pack, program.on_device.pack_points);
    }
    template <ExecutionSpace Exec>
    void local_on_device(const Exec& exec, const PlanCore::Labels& labels,
                         const ExchangeProgram& program) const {
        move_on_device(exec, labels.local, program.on_device.local_points);
    }
    template <ExecutionSpace Exec>
    void incoming_on_device(const Exec& exec, const PlanCore::Labels& labels,
                            const ExchangeProgram& program, bool any) const {
        if (any) move_on_device(exec, labels.incoming, program.on_device.incoming_points);
    }

private:
    /// The moves with the lists where their ends have no address.
    static PointMoves between(PointMoves moves, char* source, char* target) {
        if (!moves.from.data) moves.from.data = source;
        if (!moves.to.data) moves.to.data = target;
        return moves;
    }

    template <ExecutionSpace Exec>
    void move_on_device(const Exec& exec, const std::string& label,
                        const std::vector<std::vector<PointMoves>>& of_fields) const {
        for (std::size_t f = 0; f < of_fields.size(); ++f)
            for (const PointMoves& moves : of_fields[f])
                run_boxes(exec, label, std::int64_t{0}, moves.count,
                          CopyPoint{between(moves, from[f], to[f]), nullptr});
    }
};

} // namespace distview::impl
