// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>

namespace distview::impl {

// Axes of unstructured_local(), of which each process knows its own labels only.

/// Whether an axis says the labels of one process only.
bool is_partly_known(const AxisLayout& axis);
/// Whether the layout has such axes.
bool is_partly_known(const ArrayLayout& layout);

/// Throws LayoutError if `process`, which this one is, is elsewhere than where the labels are known.
void check_known_labels(const char* caller, const ArrayLayout& layout, int process,
                        const char* what);

/// The lowest of the processes that have the coordinate of `process` along an axis.
int first_beside(const ArrayLayout& layout, int process, int axis);
/// Labels of an unstructured axis, without ghosts.
std::span<const std::int64_t> owned_labels(const AxisLayout& axis, int coordinate);

/// Compares what each process knows for itself alone.
///
/// Collective: over comm, whose rank is the process
/// Errors:     LayoutError unless processes beside each other along partly known axes list the same labels (on all ranks)
void require_same_labels(const Communicator& comm, const char* caller, const ArrayLayout& layout);

} // namespace distview::impl
