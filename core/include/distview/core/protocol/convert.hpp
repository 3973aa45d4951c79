// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/protocol/violation.hpp>

#include <span>
#include <vector>

namespace distview::protocol {

/// Whether dimension data of a version can say what a layout says.
///
/// 0.9 can. Versions other than 0.9 and 0.10 cannot ("version_unsupported"). 0.10 wants
/// communication padding as wide on both sides of a seam ("padding_mismatch", rule B10) and no wider
/// than what the neighbour owns ("padding_too_wide", rule B11); for a neighbour that owns nothing that
/// is 0. In 0.10 only a block is periodic ("key_not_applicable", rule K6). The whole layout is looked at,
/// so that all processes of an array come to the same verdict.
///
/// Collective: no (local)
/// Cost:       O(number of processes) along irregular axes, and along others whose smallest block is
///             narrower than the padding; else O(1)
Verdict check_exportable(const ArrayLayout& layout, const Version& version);

/// The dimension dictionaries of one process of a layout.
///
/// Of ghosts the protocol knows nothing: they are indices of the section like others, so that an import has every
/// label on all processes that hold it, and the lowest of them owns it.
///
/// Collective: no (local)
/// Cost:       that of check_exportable, and a copy of the process's indices
/// Errors:     ProtocolError with what check_exportable() finds;
///             UsageError if the layout has no such process or does not know its indices
/// Source:     protocol specification, section 4
/// Example:    tests/unit/core/test_protocol_convert.cpp
std::vector<DimData> export_dim_data(const ArrayLayout& layout, int process,
                                     const Version& version);

/// export_dim_data() with the extents of the section's buffer.
SectionDescription export_section(const ArrayLayout& layout, int process, const Version& version);

/// The layout that the dimension data of all processes describe.
///
/// Its maps are those of the data, in the numbers of 0.10: on a periodic axis of 0.9 with edge
/// padding, index g of the data is g + (width of the low edge padding) of the layout. One thing
/// that data may say has no place in a layout and changes none of its maps: the size of an
/// unstructured axis when it counts shared labels more than once (the layout has the number of
/// distinct labels). Boundary padding that differs between processes of the same grid rank, which rule
/// X5 allows, is refused: a layout has one interior.
///
/// There is no such function for one process's data: a block's section tells nothing of the other
/// blocks, without which a layout has no owners. What one process alone knows is its
/// canonical_axis().
///
/// Collective: no (local): `sections` holds the descriptions of all processes in rank order
/// Cost:       that of check_all() and of ArrayLayout
/// Errors:     ProtocolError if the data do not conform (check_all), and "axis_inconsistent" for
///             boundary padding that differs as said above; UsageError if there are none;
///             LayoutError for more than max_rank axes, or blocks of more than 2^61 elements
/// Example:    tests/unit/core/test_protocol_convert.cpp
ArrayLayout layout_from_dim_data(const Version& version,
                                 std::span<const SectionDescription> sections);

} // namespace distview::protocol
