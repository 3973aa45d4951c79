// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/exported_section.hpp>
#include <distview/dap.h>

namespace distview::protocol {

/// Fills in the C struct of dap.h with a distributed array's section on this process.
///
/// The section shares the array's memory and keeps it alive until `out->release(out)` is called,
/// however long the DistView itself lives. `out` is overwritten; it must not hold a section.
///
/// Collective: no (local)
/// Space:      the caller makes sure that work on the array has finished, or sets out->stream
/// Cost:       two allocations and a copy of the process's indices; O(processes along padded axes)
/// Errors:     those of export_dim_data(); UsageError if `out` is null; `out` is then untouched
/// Example:    examples/c_consumer
void to_dap(const AnyDistView& view, distview_dap_section* out, const Version& version = v0_10_0);

/// The same for an export that was made or received already, conforming or not.
///
/// Errors: UsageError for what the struct cannot say: more than max_rank axes, extents, strides and
///         dictionaries of different number, a dist_type of several letters, a padding that is no
///         pair, elements of no bytes or of more than 2^31-1
void to_dap(const ExportedSection& exported, distview_dap_section* out);

/// Takes over a section that a C producer filled in.
///
/// From now on the result owns it: `in->release` is NULL, and the producer's release is called when
/// the last copy of the result's owner is gone. The dictionaries conform (check_local); whether
/// those of all processes do together is for comm's import_dist_view().
///
/// Collective: no (local)
/// Cost:       a few allocations, a copy of the indices, the rules of check_local()
/// Errors:     UsageError if `in` is null or released, or if its members cannot be: another ABI
///             version (it is released), ndim below 0 or above max_rank, missing pointers, negative
///             extents, extents or strides beyond 2^63-1 bytes or all addresses, elements that are not
///             aligned, an element of unknown kind or of a size that its kind has not, a process
///             that is not one of process_count; ProtocolError from the rules, and "bad_type" for a
///             periodic or one_to_one that is not 0 or 1. Except for the ABI version, the section
///             stays with the caller.
/// Example:    tests/unit/core/test_protocol_dap_adverse.cpp
ExportedSection from_dap(distview_dap_section* in);

/// A one-process array, or one whose layout is known: the DistView of the section, without a copy.
///
/// Without a layout the section's dictionaries must say that one process has the whole array
/// ("grid_product" otherwise). With one they are checked against it.
///
/// Collective: no (local)
/// Errors:     those of from_dap() and layout_from_dim_data(); ShapeError if the dictionaries are
///             not what the layout exports; UsageError if it has no such process. The section then
///             stays with the caller, as it does for from_dap().
AnyDistView dist_view_from_dap(distview_dap_section* in);
AnyDistView dist_view_from_dap(distview_dap_section* in, const ArrayLayout& layout, int process);

} // namespace distview::protocol
