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

/// Makes a distributed array of what every rank was given by somebody else, without a copy.
///
/// Each rank passes its own section: what from_dap() gives, or a binding has read. The rules of the
/// protocol are checked on every section and between all of them, and all ranks come to the same
/// verdict: a defect on one rank throws the same ProtocolError everywhere.
///
///     AnyDistView u = import_dist_view(comm, [&] { return protocol::from_dap(&section); });
///
/// Rank r of the communicator is process r of the array's grid. What the memory holds and who frees
/// it is the section's owner's affair, as before. Wait for its `stream` first: plans and kernels do not.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Cost:       four agreements (five with `read`), one MPI_Allgather, one MPI_Allgatherv; all get all unstructured indices
/// Errors:     ProtocolError from check_local() and check_all(), and "axis_inconsistent" if ranks
///             write different versions; ShapeError if their element types differ; LayoutError for
///             more than max_rank axes; UsageError if all indices together are more than MPI counts
///             (thrown on all ranks)
AnyDistView import_dist_view(const Communicator& comm, const protocol::ExportedSection& exported);

/// The same, with the step that gets hold of the section: what it throws on one rank is thrown on
/// all. It must not communicate.
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
