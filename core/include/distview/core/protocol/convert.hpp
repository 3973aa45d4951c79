// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/protocol/violation.hpp>

#include <span>
#include <vector>

namespace distview::protocol {

/// Whether dimension data of a version can describe a layout.
///
/// Version 0.9 can describe every layout. Versions other than 0.9 and 0.10 can describe none ("version_unsupported").
/// Version 0.10 requires communication padding that is equally wide on both sides of a seam ("padding_mismatch", rule
/// B10) and no wider than the neighbour's owned elements ("padding_too_wide", rule B11), so 0 beside a neighbour that
/// owns nothing. In 0.10 only a block can be periodic ("key_not_applicable", rule K6). The check covers the whole
/// layout, so all processes of an array get the same verdict.
///
/// Collective: no (local)
/// Cost:       O(number of processes) along irregular axes, and along axes whose smallest block is
///             narrower than the padding; else O(1)
Verdict check_exportable(const ArrayLayout& layout, const Version& version);

/// The dimension dictionaries of one process of a layout.
///
/// The protocol has no ghosts: the export lists them as ordinary indices of the section. After an import, all
/// processes that hold a label have it as an index, and the lowest of them owns it.
///
/// Collective: no (local)
/// Cost:       as check_exportable(), and a copy of the process's indices
/// Errors:     ProtocolError with the violation that check_exportable() finds;
///             UsageError if the layout has no such process or does not know its indices
/// Source:     protocol specification, section 4
/// Example:    tests/unit/core/test_protocol_convert.cpp
std::vector<DimData> export_dim_data(const ArrayLayout& layout, int process,
                                     const Version& version);

/// export_dim_data() with the extents of the section's buffer.
SectionDescription export_section(const ArrayLayout& layout, int process, const Version& version);

/// The layout that the dimension data of all processes describe.
///
/// The layout has the index maps of the data, in the numbering of 0.10: on a periodic axis of 0.9 with edge
/// padding, index g of the data becomes g + (width of the low edge padding). A layout drops one value
/// of the data, which changes none of its maps: the size of an unstructured axis that counts shared
/// labels more than once (the layout has the number of distinct labels). Boundary padding that
/// differs between processes of the same grid rank, which rule X5 allows, is an error, because a layout has
/// one interior.
///
/// The data of one process are not enough for a layout: a block's section does not describe the other
/// blocks, and without them the layout has no owners. canonical_axis() returns the information that one
/// process has.
///
/// Collective: no (local): `sections` holds the descriptions of all processes in rank order
/// Cost:       as check_all() and ArrayLayout
/// Errors:     ProtocolError if the data do not conform (check_all()), and "axis_inconsistent" for
///             boundary padding that differs as described above; UsageError if `sections` is empty;
///             LayoutError for more than max_rank axes, or blocks of 2^61 or more elements
/// Example:    tests/unit/core/test_protocol_convert.cpp
ArrayLayout layout_from_dim_data(const Version& version,
                                 std::span<const SectionDescription> sections);

} // namespace distview::protocol
