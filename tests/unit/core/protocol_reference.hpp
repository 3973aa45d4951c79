// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview::testing {

/// The section described by a dictionary, element by element, by the formulas in the protocol's
/// text and in the version's numbering. An independent reference for conforming data with small
/// sizes; shares no code with the library.
struct ReferenceSection {
    std::vector<std::int64_t> held; ///< global index of each local element
    std::int64_t owned_begin = 0;   ///< local
    std::int64_t owned_end = 0;
};

inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

inline ReferenceSection reference_section(const protocol::Version& version,
                                          const protocol::DimData& dim, std::int64_t extent) {
    ReferenceSection result;
    const std::string type = dim.dist_type.value_or("b");
    const std::int64_t size = dim.size.value_or(extent);
    const std::int64_t grid_size = dim.proc_grid_size.value_or(1);
    const std::int64_t rank = dim.proc_grid_rank.value_or(0);
    result.owned_end = extent;
    if (type == "u") {
        result.held = *dim.indices;
    } else if (type == "c") {
        const std::int64_t b = dim.block_size.value_or(1);
        for (std::int64_t g = 0; g < size; ++g)
            if (g / b % grid_size == rank) result.held.push_back(g);
    } else {
        const bool periodic = dim.periodic.value_or(false);
        const bool wraps = version.minor == 9 && periodic;
        const auto padding = dim.padding.value_or(protocol::PaddingValue{});
        const std::int64_t low = rank > 0 || wraps ? padding.low : 0;
        const std::int64_t high = rank < grid_size - 1 || wraps ? padding.high : 0;
        const std::int64_t first = dim.start.value_or(0) - (version.minor == 9 ? low : 0);
        for (std::int64_t l = 0; l < extent; ++l)
            result.held.push_back(wraps && size > 0 ? floor_mod(first + l, size) : first + l);
        result.owned_begin = low;
        result.owned_end = extent - high;
    }
    return result;
}

/// The first difference between the maps of a layout's axis and the dictionary of a process; "" if
/// they agree. `r` is the process's grid rank.
inline std::string find_map_difference(const protocol::Version& version,
                                       const protocol::DimData& dim, std::int64_t extent,
                                       const AxisLayout& axis, int r) {
    const ReferenceSection section = reference_section(version, dim, extent);
    if (axis.local_extent(r) != extent)
        return text("extent ", axis.local_extent(r), ", expected ", extent);
    if (static_cast<std::int64_t>(section.held.size()) != extent)
        return text("the dictionary lists ", section.held.size(), " elements for ", extent);

    const bool wraps = version.minor == 9 && axis.is_block() && axis.periodic();
    const LocalRange owned = wraps ? axis.interior_local(r) : axis.owned_local(r);
    if (owned.begin != section.owned_begin || owned.end != section.owned_end)
        return text("owned range [", owned.begin.value(), ", ", owned.end.value(), "), expected [",
                    section.owned_begin, ", ", section.owned_end, ')');
    const std::int64_t n = axis.size();
    for (LocalIndex l(0); l < extent; ++l) {
        const std::int64_t expected = section.held[static_cast<std::size_t>(l.value())];
        const GlobalIndex g = axis.to_global(r, l);
        // On a periodic axis the version's index is that of the mirrored element.
        const std::int64_t in_version = !wraps  ? axis.protocol_index(g).value()
                                        : n > 0 ? floor_mod(g, n)
                                                : g.value();
        if (in_version != expected)
            return text("local ", l.value(), " is global ", in_version, ", expected ", expected);
        if (!owned.contains(l) || axis.type() == DistType::unstructured) continue;
        if (axis.owner(g) != r) return text("owner of ", g.value(), " is ", axis.owner(g));
        if (axis.to_local(r, g) != l)
            return text("to_local of ", g.value(), " is ", axis.to_local(r, g).value());
    }
    return {};
}

/// The same for all processes and axes of a layout.
inline std::string find_map_difference(const protocol::Version& version,
                                       std::span<const protocol::SectionDescription> sections,
                                       const ArrayLayout& layout) {
    for (std::size_t p = 0; p < sections.size(); ++p)
        for (std::size_t d = 0; d < sections[p].dim_data.size(); ++d) {
            const auto axis = static_cast<int>(d);
            const int r = layout.coordinates(static_cast<int>(p))[d];
            const std::string difference = find_map_difference(
                version, sections[p].dim_data[d], sections[p].extents[d], layout.axis(axis), r);
            if (!difference.empty())
                return text("process ", p, ", axis ", d, ": ", difference, "\n  ",
                            protocol::describe(sections[p].dim_data[d]));
        }
    return {};
}

} // namespace distview::testing
