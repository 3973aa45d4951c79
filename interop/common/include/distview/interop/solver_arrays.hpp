// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/interop/unpadded_stencil.hpp>

#include <string>

namespace distview {

/// An array for a solver, and one with padding for a stencil.
///
/// A vector of a solver stack is a run of memory, which a padded section is not. So there are two arrays, and a plan
/// for the padding:
///
///     auto u = make_solver_arrays<double**>(exec, "u", comm, layout);
///     u.pad(exec);            // the padded array has the solver's values, padding filled
///     u.unpad(exec);          // the solver's array has those of the padded one
///
/// Collective: no (local)
template <DistViewLike Array>
struct SolverArrays {
    Array unpadded;
    Array padded;
    PaddingExchangePlan plan;

    /// Copies the interior into the padded array and fills its padding.
    ///
    /// Collective: over the communicator
    /// Space:      on `exec`; on return all work has finished
    template <ExecutionSpace Exec>
    void pad(const Exec& exec) {
        pad(exec, unpadded);
    }
    /// The same from another array of the layout of `unpadded`.
    ///
    /// Errors:     ShapeError if it has another one (on ranks where it has), and those of execute()
    template <ExecutionSpace Exec, DistViewLike From>
    void pad(const Exec& exec, const From& from) {
        static const std::string label = "distview::SolverArrays::pad";
        const SingleCall call(plan.communicator(), "SolverArrays::pad");
        impl::require_unpadded("SolverArrays::pad", unpadded.layout(), padded.process(), from);
        impl::CopyCell<typename Array::view_type, typename From::view_type> copy{
            padded.view(), from.view(), {}};
        impl::set_shift(copy, padded, from);
        for_each(exec, label, padded, copy);
        plan.execute(exec, padded);
    }
    /// Copies the interior of the padded array back.
    ///
    /// Collective: no (local)
    /// Space:      one kernel on `exec`; on return work may still run there
    template <ExecutionSpace Exec>
    void unpad(const Exec& exec) const {
        static const std::string label = "distview::SolverArrays::unpad";
        impl::CopyCell<typename Array::view_type, typename Array::view_type> copy{
            unpadded.view(), padded.view(), {}};
        impl::set_shift(copy, unpadded, padded);
        for_each(exec, label, unpadded, copy);
    }
};

/// Makes an array with a layout, and beside it one without padding, both of zeros and in C order.
///
/// Collective: over comm; all ranks pass equal arguments
/// Shapes:     `layout` of the padded one
/// Space:      memory of `Exec`; on return work may still run there
/// Cost:       two allocations, three agreements
/// Errors:     those of make_dist_view() and PaddingExchangePlan (thrown on all ranks)
template <class DataType, ExecutionSpace Exec>
auto make_solver_arrays(const Exec& exec, const std::string& label, const Communicator& comm,
                        const ArrayLayout& layout, const PaddingExchangeOptions& options = {}) {
    using Array = DistView<DataType, Kokkos::LayoutRight, typename Exec::memory_space>;
    const auto make = [&](const ArrayLayout& of) {
        return make_dist_view<DataType, Kokkos::LayoutRight, typename Exec::memory_space>(
            exec, label, comm, of);
    };
    return SolverArrays<Array>{make(without_padding(layout)), make(layout),
                               PaddingExchangePlan(comm, layout, options)};
}

} // namespace distview
