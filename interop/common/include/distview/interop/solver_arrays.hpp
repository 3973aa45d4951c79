// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/interop/unpadded_stencil.hpp>

#include <string>

namespace distview {

/// An array for a solver, beside an array with padding for a stencil.
///
/// A solver stack's vector is contiguous memory, but a padded section is not. A program therefore has two arrays, and a
/// plan for the padding:
///
///     auto u = make_solver_arrays<double**>(exec, "u", comm, layout);
///     u.pad(exec);            // copies the solver's values into the padded array and fills the padding
///     u.unpad(exec);          // copies the values of the padded array back into the solver's array
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
    /// The same from another array with the layout of `unpadded`.
    ///
    /// Errors:     ShapeError if its layout differs (on ranks where it does), and those of execute()
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

/// Makes an array with the given layout and an array without padding, both filled with zeros and in C order.
///
/// Collective: over comm; all ranks pass equal arguments
/// Shapes:     `layout` describes the padded array
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
