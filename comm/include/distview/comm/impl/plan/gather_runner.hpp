// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/move_points.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// The operation of a gather, which combines nothing.
struct NoOperation {};
constexpr std::uint16_t operation_code(const NoOperation&) noexcept { return 0; }

/// Runner (see padding_runners.hpp) that moves single elements of arrays with these element types. `lists`: for each
/// array the memory that elements or values are read from and written to if the program has no address.
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
                const PointMoves* const points = program.points.data();
                if constexpr (on_device<Exec>)
                    for (int i = batch.begin; i < batch.end; ++i)
                        run_boxes(exec, label, std::int64_t{0}, points[i].count,
                                  CopyPoint{points[i], lists[batch.field]});
                else
                    run_boxes(exec, label, batch.begin, batch.end,
                              CopyPieces{points, lists[batch.field]});
            } else if constexpr (combines) {
                constexpr std::array combine{&GatherRunner::combine_values<Values, Exec>...};
                (this->*combine[batch.field])(exec, labels.combine, program, batch);
            }
    }

private:
    template <class T, ExecutionSpace Exec>
    void combine_values(const Exec& exec, const std::string& label, const ExchangeProgram& program,
                        const Batch& batch) const {
        const PointLists& list = lists[batch.field];
        if constexpr (on_device<Exec>) {
            const PointSums& sums = program.device_sums.data()[batch.begin];
            run_boxes(exec, label, std::int64_t{0}, sums.count,
                      CombinePoint<T, Op>{sums, list.from, op});
        } else {
            run_boxes(exec, label, batch.begin, batch.end,
                      CombineShares<T, Op>{program.sums.data(), list, op});
        }
    }
};

} // namespace distview::impl
