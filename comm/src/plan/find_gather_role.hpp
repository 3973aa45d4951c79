// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/gather_role.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>

#include <optional>

namespace distview::impl {

/// Finds the owners of the elements in `list`, and tells them. Along `unique_axis`, which is unstructured, no index may
/// have several owners.
///
/// Collective: over comm; the layout is the same on all ranks, and has been checked
/// Cost:       O(size of the list) on this rank and, for what others want, on their owners; messages to owners
/// Errors:     UsageError if an element of the list has no owner, or several (on all ranks); its text begins with
///             `caller`
GatherRole find_gather_role(const Communicator& comm, const char* caller, const ArrayLayout& layout,
                            const IndexList& list, std::optional<int> unique_axis = {});

} // namespace distview::impl
