// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/canonical.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/violation.hpp>

#include "protocol_arithmetic.hpp"
#include "protocol_message.hpp"
#include "protocol_table.hpp"

#include <algorithm>
#include <cstddef>

namespace distview::protocol {

namespace {

bool is_padded(Widths widths) noexcept { return widths.low != 0 || widths.high != 0; }

/// The padding of the whole axis as far as one process's dictionary determines it.
std::optional<AxisPadding> own_axis_padding(const Dimension& dim) {
    if (dim.type != DistType::block || (dim.version.is_0_9() && !dim.padding_given))
        return AxisPadding{};
    if (dim.grid_size == 1) return AxisPadding{dim.padding, is_padded(dim.padding)};
    return {};
}

AxisPadding axis_padding_of(const DimensionTable& table, int process_count, int axis) {
    AxisPadding result;
    bool low_seen = false;
    bool high_seen = false;
    for (int p = 0; p < process_count; ++p) {
        const Dimension& dim = table(p, axis);
        result.any = result.any || is_padded(dim.padding);
        if (dim.grid_rank == 0) {
            const std::int64_t low = dim.padding.low;
            result.edges.low = low_seen ? std::min(result.edges.low, low) : low;
            low_seen = true;
        }
        if (dim.grid_rank == dim.grid_size - 1) {
            const std::int64_t high = dim.padding.high;
            result.edges.high = high_seen ? std::min(result.edges.high, high) : high;
            high_seen = true;
        }
    }
    return result;
}

CanonicalAxis canonical(const Dimension& dim, const std::optional<AxisPadding>& axis_padding) {
    CanonicalAxis result;
    result.kind = dim.type;
    result.size = dim.size;
    result.grid_size = dim.grid_size;
    result.grid_rank = dim.grid_rank;
    result.periodic = dim.periodic;
    result.block_size = dim.block_size;
    result.indices.assign(dim.indices.begin(), dim.indices.end());
    result.one_to_one = dim.one_to_one;
    result.axis_padding = axis_padding;
    if (dim.type != DistType::block) return result;

    result.communication = dim.communication();
    result.edges = dim.edges();
    std::int64_t begin = dim.owned_begin();
    std::int64_t end = dim.owned_end();
    if (!dim.edges_counted()) {
        require<UsageError>(axis_padding.has_value(),
                            "canonical_axis: expected axis_padding for a padded periodic axis of "
                            "0.9 on several processes");
        const Widths edges = axis_padding->edges;
        const auto both = impl::checked_sum(edges.low, edges.high);
        const auto size = both ? impl::checked_sum(dim.size, *both) : std::nullopt;
        if (!size)
            throw ProtocolError(text("canonical_axis: the size ", dim.size, " with padding of ",
                                     edges.low, " and ", edges.high, " exceeds 2^63-1"),
                                std::string(reason::overflow), dim.axis, "size", dim.process);
        result.size = *size;
        begin = dim.grid_rank == 0 ? 0 : begin + edges.low;
        end = dim.grid_rank == dim.grid_size - 1 ? result.size : end + edges.low;
    }
    result.owned = {ProtocolIndex(begin), ProtocolIndex(end)};
    return result;
}

} // namespace

CanonicalAxis canonical_axis(const Version& version, const DimData& dim, std::int64_t extent,
                             std::optional<AxisPadding> axis_padding) {
    const Dimension whole = impl::conforming_dimension(version, dim, extent);
    return canonical(whole, axis_padding ? axis_padding : own_axis_padding(whole));
}

std::vector<std::vector<CanonicalAxis>>
canonical_form(const Version& version, std::span<const SectionDescription> sections) {
    const DimensionTable table = impl::conforming_table(version, sections);
    const auto process_count = static_cast<int>(sections.size());
    std::vector<AxisPadding> paddings;
    for (int d = 0; d < table.rank(); ++d)
        paddings.push_back(axis_padding_of(table, process_count, d));
    std::vector<std::vector<CanonicalAxis>> result(sections.size());
    for (int p = 0; p < process_count; ++p)
        for (int d = 0; d < table.rank(); ++d)
            result[static_cast<std::size_t>(p)].push_back(
                canonical(table(p, d), paddings[static_cast<std::size_t>(d)]));
    return result;
}

CanonicalAxis canonical_axis(const ArrayLayout& layout, int axis, int process) {
    require<UsageError>(axis >= 0 && axis < layout.rank(), [&] {
        return text("canonical_axis: expected an axis in [0, ", layout.rank(), "), got ", axis);
    });
    distview::impl::check_process(layout, process, "canonical_axis");
    const AxisLayout& from = layout.axis(axis);
    const int r = layout.coordinates(process)[static_cast<std::size_t>(axis)];
    CanonicalAxis result;
    result.kind = from.type();
    result.size = from.protocol_size();
    result.grid_size = from.grid_size();
    result.grid_rank = r;
    result.axis_padding = AxisPadding{};
    result.periodic = from.periodic();
    switch (from.type()) {
    case DistType::cyclic: result.block_size = from.as_cyclic().block_size(); break;
    case DistType::unstructured: {
        const UnstructuredLayout& lists = from.as_unstructured();
        require<UsageError>(lists.known_process() < 0 || lists.known_process() == r, [&] {
            return text("canonical_axis: axis ", axis, ": expected grid rank ",
                        lists.known_process(),
                        ", the only one whose indices the layout knows, got ", r);
        });
        result.one_to_one = lists.one_to_one();
        result.indices.assign(lists.labels(r), lists.labels(r) + lists.local_extent(r));
        break;
    }
    case DistType::block: {
        const BlockLayout& block = from.as_block();
        const GlobalRange owned = block.owned(r);
        result.owned = {block.protocol_index(owned.begin), block.protocol_index(owned.end)};
        result.communication = block.communication_padding(r);
        result.edges = block.boundary_padding(r);
        result.axis_padding->edges = block.boundary();
        result.axis_padding->any = is_padded(block.boundary()) || is_padded(block.widest_padding());
        break;
    }
    }
    return result;
}

Verdict impl::check_writable(const Version& version) {
    if (version.is_supported()) return {};
    return Violation{std::string(reason::version_unsupported), -1, "__version__", -1,
                     text("DAP export: version ", to_string(version),
                          " is not supported; this exporter writes 0.9.z and 0.10.z")};
}

namespace {

/// Fills in the keys of a block: bounds and padding as the version defines them.
void describe_block(const Version& version, const CanonicalAxis& axis, DimData& dim) {
    const std::int64_t begin = axis.owned.begin.value();
    const std::int64_t end = axis.owned.end.value();
    Widths edges = axis.edges;
    if (version.is_0_10()) {
        dim.start = begin - axis.communication.low;
        dim.stop = end + axis.communication.high;
    } else if (!axis.periodic) {
        dim.start = begin;
        dim.stop = end;
    } else {
        require<UsageError>(axis.axis_padding.has_value(),
                            "dim_data_of: expected axis_padding for a periodic axis on several "
                            "processes in 0.9");
        const Widths all = axis.axis_padding->edges;
        const std::int64_t size = axis.size - all.low - all.high;
        dim.size = size;
        dim.start = std::max<std::int64_t>(begin - all.low, 0);
        dim.stop = std::min(end - all.low, size);
        edges = {axis.grid_rank == 0 ? all.low : 0,
                 axis.grid_rank == axis.grid_size - 1 ? all.high : 0};
    }
    const Widths padding(axis.communication.low + edges.low, axis.communication.high + edges.high);
    // 0.9 requires the key on all processes of the axis or on none.
    const bool needed =
        axis.axis_padding ? axis.axis_padding->any : version.is_0_9() || is_padded(padding);
    if (needed) dim.padding = PaddingValue{padding.low, padding.high};
}

} // namespace

DimData dim_data_of(const Version& version, const CanonicalAxis& axis) {
    throw_if_violated(impl::check_writable(version));
    DimData dim;
    dim.dist_type = std::string(1, static_cast<char>(axis.kind));
    dim.size = axis.size;
    dim.proc_grid_size = axis.grid_size;
    dim.proc_grid_rank = axis.grid_rank;
    if (axis.periodic) dim.periodic = true;
    switch (axis.kind) {
    case DistType::block: describe_block(version, axis, dim); break;
    case DistType::cyclic:
        // If the start would exceed 2^63-1, the process owns nothing, and rule C2 accepts size as start.
        dim.start = impl::checked_product(axis.grid_rank, axis.block_size).value_or(axis.size);
        if (axis.block_size > 1) dim.block_size = axis.block_size;
        break;
    case DistType::unstructured:
        dim.indices = axis.indices;
        if (axis.one_to_one) dim.one_to_one = true;
        break;
    }
    if (axis.periodic && axis.kind != DistType::block && version.is_0_10())
        throw ProtocolError(
            "DAP export: version 0.10 cannot describe a periodic axis that is not a "
            "block axis",
            std::string(reason::key_not_applicable), -1, "periodic");
    return dim;
}

} // namespace distview::protocol
