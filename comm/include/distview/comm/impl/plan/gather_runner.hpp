// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/move_points.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A runner (see padding_runners.hpp) of elements that are moved one by one, of arrays with these element types; the
/// last one is that of all further arrays. `lists`: for each array the memory that elements go to, or values come from.
template <class Op, class... Values>
struct GatherRunner {
    static constexpr bool fills_padding = false;
    Op op{};
    std::array<char*, sizeof...(Values)> lists{};

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
             const ExchangeProgram& program, const Batch& batch) const {
        const std::size_t i = of_field(batch.field);
        if (batch.kind == Batch::Kind::points) {
            move_points(exec, label, program.points.data(), batch.begin, batch.end,
                        {lists[i], lists[i]});
        } else {
            using Combine =
                void (*)(const Exec&, const std::string&, const std::vector<PointMoves>*, int, int,
                         const PointLists&, const Op&);
            constexpr std::array<Combine, sizeof...(Values)> combine{
                combine_shares<Values, Exec, Op>...};
            combine[i](exec, labels.combine, program.sums.data(), batch.begin, batch.end,
                       {lists[i], lists[i]}, op);
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
        using Combine =
            void (*)(const Exec&, const std::string&, const PointSums&, const char*, const Op&);
        constexpr std::array<Combine, sizeof...(Values)> combine{
            combine_on_device<Values, Exec>...};
        for (std::size_t f = 0; f < program.on_device.sums.size(); ++f)
            combine[of_field(f)](exec, labels.combine, program.on_device.sums[f],
                                 lists[of_field(f)], op);
    }

private:
    static std::size_t of_field(std::size_t field) noexcept {
        return field < sizeof...(Values) ? field : sizeof...(Values) - 1;
    }

    template <ExecutionSpace Exec>
    void move_on_device(const Exec& exec, const std::string& label,
                        const std::vector<std::vector<PointMoves>>& of_fields) const {
        move_points_on_device(exec, label, of_fields, [&](std::size_t f) -> PointLists {
            return {lists[of_field(f)], lists[of_field(f)]};
        });
    }

    template <class T, ExecutionSpace Exec>
    static void combine_on_device(const Exec& exec, const std::string& label, const PointSums& sums,
                                  const char* list, const Op& op) {
        run_boxes(exec, label, std::int64_t{0}, sums.count, CombinePoint<T, Op>{sums, list, op});
    }
};

/// The operation of a gather, which combines nothing.
struct NoOperation {
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return incoming;
    }
};

} // namespace distview::impl
