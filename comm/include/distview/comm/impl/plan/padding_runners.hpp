// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_boxes.hpp>
#include <distview/comm/impl/kernels/copy_regions.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/concepts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace distview::impl {

// Runners give a handle the kernels of one kind of execution. A runner has
//
//     run(exec, labels, label, program, batches)     on the host
//     pack_on_device(exec, labels, program)          before others may read; with copies within the section
//     local_on_device(exec, labels, program)         afterwards
//     incoming_on_device(exec, labels, program, any) once everything has arrived; `any`: since the last call
//
// and fills_padding, whether the handle may wait for some elements only.

/// Packs, copies and fills padding: bytes, whatever their type.
struct FillRunner {
    static constexpr bool fills_padding = true;

    template <ExecutionSpace Exec>
    void run(const Exec& exec, const PlanCore::Labels&, const std::string& label,
             const ExchangeProgram& program, const std::vector<Batch>& batches) const {
        for (const Batch& batch : batches)
            run_boxes(exec, label, batch.begin, batch.end, CopyBoxes{program.boxes.data()});
    }

    template <ExecutionSpace Exec>
    void pack_on_device(const Exec& exec, const PlanCore::Labels& labels,
                        const ExchangeProgram& program) const {
        copy_regions(exec, program.sends.empty() ? labels.local : labels.pack,
                     program.on_device.pack);
    }
    template <ExecutionSpace Exec>
    void local_on_device(const Exec&, const PlanCore::Labels&, const ExchangeProgram&) const {}
    template <ExecutionSpace Exec>
    void incoming_on_device(const Exec& exec, const PlanCore::Labels& labels,
                            const ExchangeProgram& program, bool any) const {
        if (any) copy_regions(exec, labels.incoming, program.on_device.unpack);
    }
};

/// Combines padding with the elements that it copies, of fields with these types; the last one is that of all
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
            if (batch.kind == Batch::Kind::copy)
                run_boxes(exec, label, batch.begin, batch.end, CopyBoxes{program.boxes.data()});
            else
                (this->*combine[of_field(batch.field)])(exec, labels.combine, program, batch);
    }

    template <ExecutionSpace Exec>
    void incoming_on_device(const Exec& exec, const PlanCore::Labels& labels,
                            const ExchangeProgram& program, bool) const {
        using Combine = void (*)(const Exec&, const std::string&, const DeviceRegions&, const Op&);
        constexpr std::array<Combine, sizeof...(Values)> combine{
            combine_regions<Values, Exec, Op>...};
        for (const auto& part : program.on_device.combined)
            combine[of_field(part.field)](exec, labels.combine, part.regions, op);
    }

private:
    template <class T, ExecutionSpace Exec>
    void combine_boxes(const Exec& exec, const std::string& label, const ExchangeProgram& program,
                       const Batch& batch) const {
        run_boxes(exec, label, batch.begin, batch.end,
                  CombineBoxes<T, Op>{program.boxes.data(), op});
    }
    static std::size_t of_field(std::size_t field) noexcept {
        return std::min(field, sizeof...(Values) - 1);
    }
};

} // namespace distview::impl
