// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_boxes.hpp>
#include <distview/comm/impl/kernels/copy_regions.hpp>
#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace distview::impl {

// Runners start the kernels of one kind of execution for a handle. A runner has run(exec, labels, label, program,
// batches), and the flag fills_padding: whether the handle may wait for some elements only.

/// Packs, copies and fills padding: as bytes, for any element type.
struct FillRunner {
    static constexpr bool fills_padding = true;

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels&, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        for (const Batch& batch : batches)
            if constexpr (on_device<Exec>)
                run_regions(exec, label, program.regions.data()[batch.begin], CopyUnit{});
            else
                run_boxes(exec, label, batch.begin, batch.end, CopyBoxes{program.boxes.data()});
    }
};

/// Combines owned elements with their copies in padding, for fields with these types; the last type is the type of all
/// further fields.
template <class Op, class... Values>
struct CombineRunner : FillRunner {
    static constexpr bool fills_padding = false;
    Op op;

    explicit CombineRunner(const Op& operation) : op(operation) {}

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels& labels, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        using Combine = void (CombineRunner::*)(const Exec&, const std::string&,
                                                const ExchangeProgram&, const Batch&) const;
        constexpr std::array<Combine, sizeof...(Values)> combine{
            &CombineRunner::combine_boxes<Values, Exec>...};
        for (const Batch& batch : batches)
            if (batch.kind == Batch::Kind::combine)
                (this->*combine[of_field(batch.field)])(exec, labels.combine, program, batch);
            else if constexpr (on_device<Exec>)
                run_regions(exec, label, program.regions.data()[batch.begin], CopyUnit{});
            else
                run_boxes(exec, label, batch.begin, batch.end, CopyBoxes{program.boxes.data()});
    }

private:
    template <class T, ExecutionSpace Exec>
    void combine_boxes(const Exec& exec, const std::string& label, const ExchangeProgram& program,
                       const Batch& batch) const {
        if constexpr (on_device<Exec>)
            run_regions(exec, label, program.regions.data()[batch.begin], CombineUnit<T, Op>{op});
        else
            run_boxes(exec, label, batch.begin, batch.end,
                      CombineBoxes<T, Op>{program.boxes.data(), op});
    }
    static std::size_t of_field(std::size_t field) noexcept {
        return std::min(field, sizeof...(Values) - 1);
    }
};

} // namespace distview::impl
