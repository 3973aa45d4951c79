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
/// even if the DistView itself is destroyed earlier. `out` is overwritten; it must not hold a section.
///
/// Collective: no (local)
/// Space:      the caller makes sure that work on the array has finished, or sets out->stream
/// Cost:       two allocations and a copy of the process's indices; O(processes along padded axes)
/// Errors:     as export_dim_data(); UsageError if `out` is null; after an error `out` is untouched
/// Example:    examples/c_consumer
void to_dap(const AnyDistView& view, distview_dap_section* out, const Version& version = v0_10_0);

/// Fills in the struct from an existing export, conforming or not.
///
/// Errors: UsageError if `out` is null, or for content that the struct cannot express: more than max_rank axes,
///         different numbers of extents, strides and dictionaries, a dist_type that is not one letter, a padding that
///         is no pair, elements of no bytes or of more than 2^31-1, elements without an address
void to_dap(const ExportedSection& exported, distview_dap_section* out);

/// Takes over a section that a C producer filled in.
///
/// The result then owns the section: `in->release` is NULL, and the producer's release is called when
/// the last copy of the result's owner is destroyed. The dictionaries conform (check_local()); comm's
/// import_dist_view() checks the dictionaries of all processes together.
///
/// Collective: no (local)
/// Cost:       a few allocations, a copy of the indices, the rules of check_local()
/// Errors:     UsageError if `in` is null or released, or if its members are invalid: another ABI
///             version (it is released), ndim below 0 or above max_rank, missing pointers, negative
///             extents, extents or strides beyond 2^63-1 bytes or all addresses, elements that are not
///             aligned, an element of unknown kind or of a size that its kind does not have, a process
///             outside process_count; ProtocolError from the rules, and "bad_type" for a
///             periodic or one_to_one that is not 0 or 1. After every error except that of the ABI version, the
///             caller still owns the section.
/// Example:    tests/unit/core/test_protocol_dap_adverse.cpp
ExportedSection from_dap(distview_dap_section* in);

/// Makes the AnyDistView of a section without a copy, for an array on one process or with a known layout.
///
/// Without a layout, the section's dictionaries must describe a whole array on one process
/// ("grid_product" otherwise). With a layout, they are checked against it.
///
/// Collective: no (local)
/// Errors:     as from_dap() and layout_from_dim_data(); ShapeError if the dictionaries differ from
///             those that the layout exports; UsageError if it has no such process. After an error the
///             caller still owns the section, as for from_dap().
AnyDistView dist_view_from_dap(distview_dap_section* in);
AnyDistView dist_view_from_dap(distview_dap_section* in, const ArrayLayout& layout, int process);

} // namespace distview::protocol
