// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/axis_layout.hpp>
#include <distview/core/index_types.hpp>
#include <distview/core/padding.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace distview::protocol {

/// The padding of an axis, combined from the data of all its processes.
struct AxisPadding {
    /// Widths at the two ends of the axis. If processes of one grid rank disagree (rule X5
    /// allows it, layout_from_dim_data() does not), the smallest width.
    Widths edges{};
    /// Whether any process has padding of any kind.
    bool any = false;

    friend constexpr bool operator==(const AxisPadding&, const AxisPadding&) = default;
};

/// One axis on one process, independent of the versions' conventions.
///
/// A CanonicalAxis and a dimension dictionary of 0.9 or 0.10 have the same content; each can be computed from
/// the other. Numbers count as in version 0.10: `size` and `owned` include boundary padding, also on
/// periodic axes. Layouts count from the first interior element; AxisLayout::protocol_index()
/// converts.
///
///     18 elements on 2 processes, padding (1, 1): process 1
///     0.10: start 8, stop 18     0.9: start 9, stop 18
///     canonical: size 18, owned [9, 18), communication (1, 0), edges (0, 1)
///
/// Indices: the protocol's, 0-based, half-open
/// Source:  protocol specification, section 4
struct CanonicalAxis {
    DistType kind = DistType::block;
    std::int64_t size = 0;
    std::int64_t grid_size = 1;
    std::int64_t grid_rank = 0;
    /// Elements that the process owns, boundary padding included; block only.
    ProtocolRange owned{};
    /// Copies of neighbours' elements; 0 at the two ends of the axis.
    Widths communication{};
    /// Padding of this process at the two ends of the axis; 0 elsewhere.
    Widths edges{};
    bool periodic = false;
    /// Cyclic only; 1 otherwise.
    std::int64_t block_size = 1;
    /// Unstructured only.
    std::vector<std::int64_t> indices{};
    bool one_to_one = false;
    /// Padding of the whole axis; absent if only the data of this process are known.
    std::optional<AxisPadding> axis_padding{};

    friend bool operator==(const CanonicalAxis&, const CanonicalAxis&) = default;
};

/// The canonical form of one dictionary that conforms (check_local).
///
/// From the data of one process, axis_padding is known only if the process is alone on the axis, or if the
/// axis cannot have padding. In 0.9, the size of a periodic axis with edge padding cannot be computed
/// without axis_padding.
///
/// Collective: no (local)
/// Errors:     ProtocolError if the dictionary does not conform; UsageError for a padded periodic
///             axis of 0.9 on several processes if axis_padding is not given
CanonicalAxis canonical_axis(const Version& version, const DimData& dim, std::int64_t extent,
                             std::optional<AxisPadding> axis_padding = {});

/// The canonical form of all processes' data, by process and axis.
///
/// Collective: no (local): `sections` holds the descriptions of all processes in rank order
/// Errors:     ProtocolError if the data do not conform (check_all)
std::vector<std::vector<CanonicalAxis>>
canonical_form(const Version& version, std::span<const SectionDescription> sections);

/// The canonical form of one axis of a layout on `process`.
///
/// Errors: UsageError if the layout has no such process or axis, or if it knows the indices of
///         another process only
CanonicalAxis canonical_axis(const ArrayLayout& layout, int axis, int process);

/// The dictionary of a version with the content of the canonical form.
///
///                    0.10                        0.9
///     size           size                        periodic: without edge padding; else size
///     start, stop    owned and communication     owned, without a periodic axis' edge padding
///     padding        left out if the axis has none (in 0.10 also if this process has none
///                    and the other processes' padding is not known)
///     block_size     left out if 1
///     periodic, one_to_one   left out if false
///
/// An axis that is not distributed becomes a block on one process in both versions, never `{}` or 'n',
/// because some consumers support neither. Cyclic starts are proc_grid_rank * block_size even beyond size.
///
/// Errors: ProtocolError "version_unsupported"; "key_not_applicable" for a periodic axis that is
///         not a block in 0.10; UsageError for a periodic block in 0.9 if axis_padding is not known
DimData dim_data_of(const Version& version, const CanonicalAxis& axis);

} // namespace distview::protocol
