// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

namespace distview::impl {

/// The layout as all processes together know it: where it has the labels of one process alone, those that each process
/// owns, without ghosts.
///
/// Collective: over comm if it has; all ranks pass equal layouts
/// Cost:       8 bytes of memory a label on every rank
/// Errors:     LayoutError if there are not as many labels as the layout has elements (on all ranks)
ArrayLayout whole_layout(const char* caller, const Communicator& comm, const ArrayLayout& layout);

} // namespace distview::impl
