// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/core/dist_view.hpp>

#include <exception>
#include <string>
#include <type_traits>

namespace distview {

namespace impl {
/// Throws UsageError unless the layout has as many processes as the communicator.
void check_grid(const char* caller, const Communicator& comm, const ArrayLayout& layout);
} // namespace impl

/// Makes this rank's section of a new distributed array, filled with zeros.
///
///     auto u = make_dist_view<double**>(exec, comm, layout, "u");
///
/// Rank r of the communicator is process r of the layout's grid.
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Space:      memory of `Exec`, touched first by `exec`; on return work may still run there
/// Cost:       one allocation, one agreement
/// Errors:     UsageError if the layout's grid has not comm.size() processes or differs between
///             ranks, ShapeError if its rank is not the view's, Error if a rank is out of memory
///             (thrown on all ranks)
template <class DataType, class... Properties, ExecutionSpace Exec>
auto make_dist_view(const Exec& exec, const Communicator& comm, const ArrayLayout& layout,
                    const std::string& label) {
    using View = std::conditional_t<sizeof...(Properties) == 0,
                                    DistView<DataType, typename Exec::memory_space>,
                                    DistView<DataType, Properties...>>;
    View view;
    std::exception_ptr failure;
    try {
        impl::check_grid("make_dist_view", comm, layout);
        view = View(exec, label, layout, comm.rank());
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, "make_dist_view", failure,
          layout.fingerprint() * 31 + impl::element_code<typename View::non_const_value_type>());
    return view;
}

} // namespace distview
