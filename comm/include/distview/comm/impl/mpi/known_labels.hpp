// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>

namespace distview::impl {

// For axes of unstructured_local(): each process knows its own labels only.

/// Whether an axis knows the labels of one process only.
bool is_partly_known(const AxisLayout& axis);
/// Whether the layout has such axes.
bool is_partly_known(const ArrayLayout& layout);

/// Throws LayoutError if the known labels are not those of `process`, which is this process.
void check_known_labels(const char* caller, const ArrayLayout& layout, int process,
                        const char* what);

/// The lowest process that has the coordinate of `process` along an axis.
int first_beside(const ArrayLayout& layout, int process, int axis);
/// Labels of an unstructured axis, without ghosts.
std::span<const std::int64_t> owned_labels(const AxisLayout& axis, int coordinate);

/// Compares labels that each process knows locally.
///
/// Collective: over comm, whose rank is the process
/// Errors:     LayoutError unless processes with the same coordinate list the same labels of the axis (on all ranks)
void require_same_labels(const Communicator& comm, const char* caller, const ArrayLayout& layout);

} // namespace distview::impl
