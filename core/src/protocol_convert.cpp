// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/convert.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/text.hpp>

#include "protocol_message.hpp"

#include <cstddef>
#include <utility>

namespace distview::protocol {

namespace {

Violation not_exportable(std::string_view code, int axis, int process, const std::string& what) {
    return {std::string(code), axis, "padding", process,
            text("DAP export, process ", process, ": version 0.10 cannot describe axis ", axis,
                 ": ", what)};
}

/// Rule K6 on one axis of a layout.
Violation not_periodic(int axis) {
    return {std::string(reason::key_not_applicable), axis, "periodic", -1,
            text("DAP export: version 0.10 cannot describe axis ", axis,
                 " as periodic: only a block axis can be")};
}

/// Rules B10 and B11 on one axis of a layout.
Verdict check_padding(const BlockLayout& block, int axis, int stride) {
    const Widths seam = block.widest_padding();
    // In closed forms all seams are equal, and the last block is the smallest.
    if (!block.has_tables() && seam.low == seam.high &&
        block.interior(block.grid_size() - 1).size() >= seam.low)
        return {};
    const auto owned = [&](int r) { return block.owned(r).size(); };
    for (int r = 0; r + 1 < block.grid_size(); ++r) {
        const std::int64_t high = block.communication_padding(r).high;
        const std::int64_t low = block.communication_padding(r + 1).low;
        if (high != low)
            return not_exportable(reason::padding_mismatch, axis, r * stride,
                                  text("right padding ", high, " of grid rank ", r,
                                       " differs from left padding ", low, " of grid rank ",
                                       r + 1));
        if (high > owned(r + 1))
            return not_exportable(reason::padding_too_wide, axis, r * stride,
                                  text("right padding ", high, " of grid rank ", r, " exceeds the ",
                                       owned(r + 1), " indices owned by grid rank ", r + 1));
        if (low > owned(r))
            return not_exportable(reason::padding_too_wide, axis, (r + 1) * stride,
                                  text("left padding ", low, " of grid rank ", r + 1,
                                       " exceeds the ", owned(r), " indices owned by grid rank ",
                                       r));
    }
    return {};
}

/// Throws if processes of one grid rank give boundary padding of different widths. Rule X5 allows that, but
/// the interior of an ArrayLayout is one box, and no box fits all these processes.
void check_edges(const std::vector<std::vector<CanonicalAxis>>& all, std::size_t d,
                 std::size_t stride) {
    for (std::size_t p = 0; p < all.size(); ++p) {
        const CanonicalAxis& mine = all[p][d];
        const std::size_t reference = static_cast<std::size_t>(mine.grid_rank) * stride;
        const CanonicalAxis& other = all[reference][d];
        if (mine.edges == other.edges) continue;
        const bool at_low = mine.edges.low != other.edges.low;
        const auto width = [&](const CanonicalAxis& of) {
            return at_low ? of.edges.low : of.edges.high;
        };
        const auto axis = static_cast<int>(d);
        throw_if_violated(impl::violation(
            reason::axis_inconsistent, static_cast<int>(p), axis, "padding",
            impl::entry(axis, "padding"), ": boundary padding is ", width(mine), " at the ",
            at_low ? "low" : "high", " end, but ", width(other), " on process ", reference,
            " of the same grid rank ", mine.grid_rank,
            "; the protocol allows that, but an array here has one interior for all processes"));
    }
}

AxisSpec block_spec(const std::vector<CanonicalAxis>& row) {
    const Widths edges = row.front().axis_padding->edges;
    std::vector<std::int64_t> bounds{0};
    std::vector<Widths> paddings;
    for (const CanonicalAxis& axis : row) {
        bounds.push_back(axis.owned.end - edges.low);
        paddings.push_back(axis.communication);
    }
    bounds.back() -= edges.high;
    return block_bounds(std::move(bounds),
                        {.padding = {}, .boundary = edges, .periodic = row.front().periodic},
                        std::move(paddings));
}

AxisSpec axis_spec(std::vector<CanonicalAxis> row) {
    const CanonicalAxis& first = row.front();
    switch (first.kind) {
    case DistType::cyclic: return {CyclicSpec{first.size, first.block_size, first.periodic}};
    case DistType::unstructured: {
        UnstructuredSpec lists;
        lists.one_to_one = first.one_to_one;
        lists.periodic = first.periodic;
        for (CanonicalAxis& axis : row) lists.labels.push_back(std::move(axis.indices));
        return {std::move(lists)};
    }
    case DistType::block: break;
    }
    return block_spec(row);
}

} // namespace

Verdict check_exportable(const ArrayLayout& layout, const Version& version) {
    if (auto found = impl::check_writable(version)) return found;
    if (version.is_0_9()) return {};
    int stride = layout.process_count();
    for (int d = 0; d < layout.rank(); ++d) {
        stride /= layout.grid().extent(d);
        if (!layout.axis(d).is_block()) {
            if (layout.axis(d).periodic()) return not_periodic(d);
            continue;
        }
        if (auto found = check_padding(layout.axis(d).as_block(), d, stride)) return found;
    }
    return {};
}

std::vector<DimData> export_dim_data(const ArrayLayout& layout, int process,
                                     const Version& version) {
    distview::impl::check_process(layout, process, "export_dim_data");
    throw_if_violated(check_exportable(layout, version));
    std::vector<DimData> result;
    result.reserve(static_cast<std::size_t>(layout.rank()));
    for (int d = 0; d < layout.rank(); ++d)
        result.push_back(dim_data_of(version, canonical_axis(layout, d, process)));
    return result;
}

SectionDescription export_section(const ArrayLayout& layout, int process, const Version& version) {
    SectionDescription section;
    section.dim_data = export_dim_data(layout, process, version);
    const Extents extents = layout.local_extents(process);
    section.extents.assign(extents.begin(), extents.begin() + layout.rank());
    return section;
}

ArrayLayout layout_from_dim_data(const Version& version,
                                 std::span<const SectionDescription> sections) {
    std::vector<std::vector<CanonicalAxis>> all = canonical_form(version, sections);
    const std::size_t rank = all.front().size();
    std::vector<int> grid;
    for (const CanonicalAxis& axis : all.front()) grid.push_back(static_cast<int>(axis.grid_size));
    const ProcessGrid process_grid{std::span<const int>(grid)};

    std::vector<AxisSpec> specs;
    std::size_t stride = all.size();
    for (std::size_t d = 0; d < rank; ++d) {
        stride /= static_cast<std::size_t>(grid[d]);
        check_edges(all, d, stride);
        std::vector<CanonicalAxis> row;
        for (std::size_t r = 0; r < static_cast<std::size_t>(grid[d]); ++r)
            row.push_back(std::move(all[r * stride][d]));
        specs.push_back(axis_spec(std::move(row)));
    }
    return {process_grid, specs};
}

} // namespace distview::protocol
