// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/exported_section.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace distview {

/// Makes a distributed array from sections that another library exported, without a copy.
///
/// Each rank passes its own section: the result of from_dap(), or of a language binding. The function checks the
/// rules of the protocol on every section and between all sections, and all ranks agree on the result: a
/// defect on one rank throws the same ProtocolError on all ranks.
///
///     AnyDistView u = import_dist_view(comm, [&] { return protocol::from_dap(&section); });
///
/// Rank r of the communicator is process r of the array's grid. The section's owner keeps the memory alive and
/// frees it, as before. Wait for the section's `stream` first: plans and kernels do not wait for it.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Cost:       four agreements (five with `read`), one MPI_Allgather, one MPI_Allgatherv; every rank gets all
///             unstructured indices
/// Errors:     ProtocolError from check_local() and check_all(), and "axis_inconsistent" if ranks pass different
///             protocol versions; ShapeError if element types differ; LayoutError for more than max_rank axes;
///             UsageError if the number of all indices exceeds the range of MPI's counts (thrown on all ranks)
AnyDistView import_dist_view(const Communicator& comm, const protocol::ExportedSection& exported);

/// The same, with the function that obtains the section: if `read` throws on one rank, all ranks throw
/// its exception. `read` must not communicate.
///
/// Collective: over comm; all ranks pass sections of the same array
template <std::invocable Read>
    requires std::convertible_to<std::invoke_result_t<Read>, protocol::ExportedSection>
AnyDistView import_dist_view(const Communicator& comm, Read&& read) {
    const CollectiveCall call(comm, "import_dist_view");
    const protocol::ExportedSection exported =
        agree_on(comm, "import_dist_view", std::forward<Read>(read));
    return import_dist_view(comm, exported);
}

} // namespace distview
