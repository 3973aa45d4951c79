// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

namespace distview::impl {

/// The layout with the labels of all processes: if an axis has only one process's labels, they are replaced by the
/// labels that each process owns, without ghosts.
///
/// Collective: over comm in that case; all ranks pass equal layouts
/// Cost:       8 bytes of memory for each label on every rank
/// Errors:     LayoutError if the number of labels is not the layout's number of elements (on all ranks)
ArrayLayout whole_layout(const char* caller, const Communicator& comm, const ArrayLayout& layout);

} // namespace distview::impl
