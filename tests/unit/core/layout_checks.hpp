// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dim_layout.hpp>
#include <distview/core/padding.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace distview::testing {

/// The expected elements of one process along one axis, written out or computed by plain loops.
struct ExpectedSection {
    std::vector<std::int64_t> held; ///< global index of every local index
    LocalRange owned;
    LocalRange interior;
};

/// Sections without padding.
inline std::vector<ExpectedSection>
plain_sections(const std::vector<std::vector<std::int64_t>>& held) {
    std::vector<ExpectedSection> sections;
    for (const auto& list : held) {
        const LocalRange all{LocalIndex(0), LocalIndex(list.size())};
        sections.push_back({list, all, all});
    }
    return sections;
}

/// Blocks of the given interior sizes. Boundary padding extends the first and the last block,
/// communication padding every section.
inline std::vector<ExpectedSection> block_sections(const std::vector<std::int64_t>& interior_sizes,
                                                   const std::vector<Widths>& communication,
                                                   Widths boundary) {
    std::vector<ExpectedSection> sections;
    std::int64_t next = -boundary.low; // global index of the next element to own
    for (std::size_t p = 0; p < interior_sizes.size(); ++p) {
        const bool first = p == 0;
        const bool last = p + 1 == interior_sizes.size();
        std::int64_t parts[5] = {first ? 0 : communication[p].low, first ? boundary.low : 0,
                                 interior_sizes[p], last ? boundary.high : 0,
                                 last ? 0 : communication[p].high};
        ExpectedSection section;
        section.owned.begin = LocalIndex(parts[0]);
        section.interior.begin = section.owned.begin + parts[1];
        section.interior.end = section.interior.begin + parts[2];
        section.owned.end = section.interior.end + parts[3];
        for (std::int64_t g = next - parts[0]; g < next + parts[1] + parts[2] + parts[3] + parts[4];
             ++g)
            section.held.push_back(g);
        next += parts[1] + parts[2] + parts[3];
        sections.push_back(section);
    }
    return sections;
}

/// The first difference between a layout and the expected sections; "" if they agree.
template <DimLayout Layout>
std::string find_difference(const Layout& layout, const std::vector<ExpectedSection>& expected) {
    if (layout.grid_size() != static_cast<int>(expected.size()))
        return text("grid_size() is ", layout.grid_size(), ", expected ", expected.size());
    for (int p = 0; p < layout.grid_size(); ++p) {
        const ExpectedSection& section = expected[static_cast<std::size_t>(p)];
        const auto extent = static_cast<std::int64_t>(section.held.size());
        if (layout.local_extent(p) != extent)
            return text("local_extent(", p, ") is ", layout.local_extent(p), ", expected ", extent);
        if (!(layout.owned_local(p) == section.owned)) return text("owned_local(", p, ") is wrong");
        if (!(layout.interior_local(p) == section.interior))
            return text("interior_local(", p, ") is wrong");
        for (LocalIndex l(0); l < extent; ++l) {
            const GlobalIndex g(section.held[static_cast<std::size_t>(l.value())]);
            if (layout.to_global(p, l) != g)
                return text("to_global(", p, ", ", l.value(), ") is ",
                            layout.to_global(p, l).value(), ", expected ", g.value());
            if (!section.owned.contains(l)) continue;
            if (layout.owner(g) != p)
                return text("owner(", g.value(), ") is ", layout.owner(g), ", expected ", p);
            if (layout.to_local(p, g) != l)
                return text("to_local(", p, ", ", g.value(), ") is ", layout.to_local(p, g).value(),
                            ", expected ", l.value());
        }
    }
    return {};
}

/// The first broken guarantee of a layout, found by querying every process for every index; "" if all hold.
///
/// `globals` are the axis' global indices, each once. Every index must be owned exactly once, and held by its owner.
/// Maps must be inverse to each other for every element held by a process. Elements held outside the owned range must
/// be owned by another process.
template <DimLayout Layout>
std::string find_flaw(const Layout& layout, const std::vector<std::int64_t>& globals) {
    std::int64_t owned_count = 0;
    std::int64_t interior_count = 0;
    for (int p = 0; p < layout.grid_size(); ++p) {
        const std::int64_t extent = layout.local_extent(p);
        const LocalRange owned = layout.owned_local(p);
        const LocalRange interior = layout.interior_local(p);
        if (extent < 0) return text("process ", p, " has the extent ", extent);
        if (!(0 <= owned.begin && owned.begin <= interior.begin && interior.begin <= interior.end &&
              interior.end <= owned.end && owned.end <= extent))
            return text("process ", p, ": interior, owned and held ranges are not nested");
        owned_count += owned.size();
        interior_count += interior.size();
        for (LocalIndex l(0); l < extent; ++l) {
            const GlobalIndex g = layout.to_global(p, l);
            if (layout.to_local(p, g) != l)
                return text("process ", p, ": local ", l.value(), " is global ", g.value(),
                            ", which is local ", layout.to_local(p, g).value());
            if ((layout.owner(g) == p) != owned.contains(l))
                return text("process ", p, ": local ", l.value(), " is global ", g.value(),
                            " of process ", layout.owner(g), ", against owned_local");
        }
    }
    for (const std::int64_t global : globals) {
        const GlobalIndex g(global);
        const int p = layout.owner(g);
        if (p < 0 || p >= layout.grid_size()) return text("global ", global, " has no owner");
        const LocalIndex l = layout.to_local(p, g);
        if (!layout.owned_local(p).contains(l))
            return text("process ", p, " owns global ", global, ", not its local ", l.value());
        if (layout.to_global(p, l) != g)
            return text("process ", p, ": global ", global, " is local ", l.value(),
                        ", which is global ", layout.to_global(p, l).value());
    }
    // Together with the checks above, equal counts mean that no element is owned twice.
    if (owned_count != static_cast<std::int64_t>(globals.size()))
        return text("the processes own ", owned_count, " of ", globals.size(), " elements");
    if (layout.protocol_size() != owned_count)
        return text("protocol_size() is ", layout.protocol_size());
    if (interior_count != layout.size())
        return text("the interior has ", layout.size(), " elements, the processes have ",
                    interior_count);
    return {};
}

/// 0, 1, ..., count - 1.
inline std::vector<std::int64_t> first_indices(std::int64_t count) {
    std::vector<std::int64_t> result;
    for (std::int64_t g = 0; g < count; ++g) result.push_back(g);
    return result;
}

/// The indices of `size` interior elements and of the boundary padding on both sides.
inline std::vector<std::int64_t> indices_with(Widths boundary, std::int64_t size) {
    std::vector<std::int64_t> result;
    for (std::int64_t g = -boundary.low; g < size + boundary.high; ++g) result.push_back(g);
    return result;
}

} // namespace distview::testing
