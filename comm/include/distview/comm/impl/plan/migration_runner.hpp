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
        move_points(exec, label, program.points.data(), batch.begin, batch.end, lists(batch.field));
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
    PointLists lists(std::size_t field) const { return {from[field], to[field]}; }

    template <ExecutionSpace Exec>
    void move_on_device(const Exec& exec, const std::string& label,
                        const std::vector<std::vector<PointMoves>>& of_fields) const {
        move_points_on_device(exec, label, of_fields, [&](std::size_t f) { return lists(f); });
    }
};

} // namespace distview::impl
