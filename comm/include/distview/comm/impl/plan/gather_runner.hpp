// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_points.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// The operation of a gather, which combines nothing.
struct NoOperation {};

/// A runner (see padding_runners.hpp) of elements that are moved one by one, of arrays with these element types.
/// `lists`: for each array the memory that elements or values come from and go to where the program has no address.
template <class Op, class... Values>
struct GatherRunner {
    static constexpr bool fills_padding = false;
    static constexpr bool combines = !std::is_same_v<Op, NoOperation>;
    Op op{};
    std::array<PointLists, sizeof...(Values)> lists{};

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        for (const Batch& batch : batches)
            if (batch.kind == Batch::Kind::points) {
                run_boxes(exec, label, batch.begin, batch.end,
                          CopyPieces{program.points.data(), lists[batch.field]});
            } else if constexpr (combines) {
                constexpr std::array combine{&GatherRunner::combine_shares<Values, Exec>...};
                (this->*combine[batch.field])(exec, labels.combine, program, batch);
            }
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
        if constexpr (combines) {
            constexpr std::array combine{&GatherRunner::combine_on_device<Values, Exec>...};
            for (std::size_t f = 0; f < program.on_device.sums.size(); ++f)
                (this->*combine[f])(exec, labels.combine, program, f);
        }
    }

private:
    template <class T, ExecutionSpace Exec>
    void combine_shares(const Exec& exec, const std::string& label, const ExchangeProgram& program,
                        const Batch& batch) const {
        run_boxes(exec, label, batch.begin, batch.end,
                  CombineShares<T, Op>{program.sums.data(), lists[batch.field], op});
    }

    template <ExecutionSpace Exec>
    void move_on_device(const Exec& exec, const std::string& label,
                        const std::vector<std::vector<PointMoves>>& of_fields) const {
        for (std::size_t f = 0; f < of_fields.size(); ++f)
            for (const PointMoves& moves : of_fields[f])
                run_boxes(exec, label, std::int64_t{0}, moves.count, CopyPoint{moves, lists[f]});
    }
    template <class T, ExecutionSpace Exec>
    void combine_on_device(const Exec& exec, const std::string& label,
                           const ExchangeProgram& program, std::size_t field) const {
        const PointSums& sums = program.on_device.sums[field];
        run_boxes(exec, label, std::int64_t{0}, sums.count,
                  CombinePoint<T, Op>{sums, lists[field].from, op});
    }
};

} // namespace distview::impl
