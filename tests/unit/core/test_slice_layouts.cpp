// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of slices of random layouts. Oracle: a search through the sections, for every index.
#include "protocol_cases.hpp"
#include "protocol_random.hpp"

#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/slice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using protocol::check_all;
using protocol::check_exportable;
using protocol::layout_from_dim_data;

/// The places of an axis' interior cells (process, position in its section), found by looking at
/// every position of every section.
std::vector<std::pair<int, std::int64_t>> places_of(const AxisLayout& axis) {
    std::vector<std::pair<int, std::int64_t>> places(static_cast<std::size_t>(axis.size()));
    for (int p = 0; p < axis.grid_size(); ++p)
        for (LocalIndex l = axis.interior_local(p).begin; l < axis.interior_local(p).end; ++l)
            places.at(static_cast<std::size_t>(axis.to_global(p, l))) = {p, l.value()};
    return places;
}

/// A slice with explicit numbers; often all cells, one cell or empty.
AxisSlice random_slice(Random& random, std::int64_t size, bool backwards) {
    AxisSlice slice;
    slice.begin = random.chance(0.4) ? 0 : random.integer(0, size + 1);
    slice.step = random.chance(0.4) ? 1 : random.integer(1, random.chance(0.5) ? 4 : 14);
    std::int64_t most = 0;
    for (std::int64_t cell = slice.begin; cell < size; cell += slice.step) ++most;
    slice.count = random.chance(0.6) ? most : random.integer(0, most + 1);
    if (backwards && slice.count > 1) {
        slice.begin += (slice.count - 1) * slice.step;
        slice.step = -slice.step;
    }
    return slice;
}

/// Whether elements begin, begin + step, ... of a cyclic axis, extended without end, are cyclic
/// from process 0 on in blocks of some size, with equal distances on each process.
bool is_dealt_when_endless(const CyclicLayout& axis, const AxisSlice& slice) {
    const int processes = axis.grid_size();
    const std::int64_t count = 4 * axis.block_size() * processes * processes;
    const CyclicLayout endless(slice.begin + count * slice.step, processes, axis.block_size());
    const auto is_dealt_in = [&](std::int64_t block_size) {
        std::map<int, std::vector<std::int64_t>> positions;
        for (std::int64_t t = 0; t < count; ++t) {
            const GlobalIndex cell(slice.begin + t * slice.step);
            const int owner = endless.owner(cell);
            if (owner != t / block_size % processes) return false;
            positions[owner].push_back(endless.to_local(owner, cell).value());
        }
        for (const auto& [owner, list] : positions)
            for (std::size_t i = 2; i < list.size(); ++i)
                if (list[i] - list[i - 1] != list[1] - list[0]) return false;
        return true;
    };
    for (std::int64_t block_size = 1; block_size <= axis.block_size(); ++block_size)
        if (is_dealt_in(block_size)) return true;
    return processes == 1;
}

/// Whether all cells of a slice come before process 0's second block.
bool is_in_one_round(const CyclicLayout& axis, const AxisSlice& slice) {
    const std::int64_t round = axis.block_size() * axis.grid_size();
    return slice.begin / round == (slice.begin + (slice.count - 1) * slice.step) / round;
}

/// The expected kind of the slice of an axis; empty if such a slice must be rejected.
std::optional<DistType> expected_type(const AxisLayout& axis, AxisSlice slice) {
    if (slice.count < 2) slice.step = 1;
    if (slice.step < 0) return std::nullopt;
    if (axis.type() == DistType::unstructured) {
        if (slice.begin == 0 && slice.step == 1 && slice.count == axis.size()) return axis.type();
        return std::nullopt;
    }
    if (axis.is_block() || slice.count == 0 || is_dealt_when_endless(axis.as_cyclic(), slice))
        return axis.type();
    if (is_in_one_round(axis.as_cyclic(), slice)) return DistType::block;
    return std::nullopt;
}

bool throws_layout_error(const ArrayLayout& layout, const AxisSlice& slice) {
    try {
        slice_section(layout, 0, {slice});
    } catch (const LayoutError&) {
        return true;
    }
    return false;
}

/// The first fault in the slice of a layout's axis; "" if it is right.
std::string find_flaw(const AxisLayout& whole, const AxisSlice& slice, const AxisLayout& part,
                      const std::vector<SectionSlice>& sections, std::size_t d,
                      const ArrayLayout& layout) {
    if (part.size() != slice.count || part.protocol_size() != slice.count)
        return text("size() is ", part.size());
    if (part.periodic()) return "periodic";
    std::vector<std::int64_t> remaining;
    for (int p = 0; p < part.grid_size(); ++p) remaining.push_back(part.local_extent(p));
    const auto process_at = [&](int coordinate) {
        GridCoordinates at{};
        at[d] = coordinate;
        return static_cast<std::size_t>(layout.grid().process(at));
    };
    if (part.type() == DistType::unstructured) {
        for (int p = 0; p < part.grid_size(); ++p) {
            const auto& there = sections[process_at(p)];
            for (LocalIndex l(0); l < whole.local_extent(p); ++l)
                if (part.to_global(p, l) != whole.to_global(p, l)) return text("label ", l.value());
            if (part.local_extent(p) != whole.local_extent(p) || there.begin[d] != 0 ||
                there.step[d] != 1)
                return text("section of ", p);
        }
        return "";
    }
    const auto places = places_of(whole);
    for (std::int64_t t = 0; t < slice.count; ++t) {
        const auto [p, l] = places[static_cast<std::size_t>(slice.begin + t * slice.step)];
        if (part.owner(GlobalIndex(t)) != p) return text("owner(", t, ") is not ", p);
        const LocalIndex at = part.to_local(p, GlobalIndex(t));
        if (part.to_global(p, at) != t) return text("to_global(", p, ", ", at.value(), ')');
        const auto& there = sections[process_at(p)];
        if (there.begin[d] + at * there.step[d] != l)
            return text("element ", t, " is not at ", l, " of process ", p);
        --remaining[static_cast<std::size_t>(p)];
    }
    for (int p = 0; p < part.grid_size(); ++p) {
        if (remaining[static_cast<std::size_t>(p)] != 0) return text("extent of process ", p);
        const auto& there = sections[process_at(p)];
        if (part.local_extent(p) == 0 && (there.begin[d] != 0 || there.step[d] != 1))
            return text("the empty section of ", p, " has a place");
    }
    return "";
}

} // namespace

// The permitted slices, and their kinds.
TEST(SliceLayouts, slices_of_one_axis_are_what_the_kinds_can_say) {
    std::map<std::optional<DistType>, int> cyclic_to;
    int empty = 0;
    for_each_case(20'000, [&](Random& random, std::uint64_t) {
        const auto processes = static_cast<int>(random.integer(1, 7));
        const ArrayLayout layout(ProcessGrid{processes},
                                 {random_axis(random, processes, PaddingKind::any)});
        const AxisLayout& axis = layout.axis(0);
        const AxisSlice slice = random_slice(random, axis.size(), random.chance(0.1));
        SCOPED_TRACE(text(layout.describe(), "\n  cells ", slice.begin, ", ", slice.count,
                          " times ", slice.step));
        const auto type = expected_type(axis, slice);
        ASSERT_EQ(throws_layout_error(layout, slice), !type);
        if (axis.type() == DistType::cyclic && processes > 1) ++cyclic_to[type];
        if (!type) return;
        std::vector<SectionSlice> sections;
        for (int p = 0; p < processes; ++p) sections.push_back(slice_section(layout, p, {slice}));
        EXPECT_EQ(sections[0].layout.axis(0).type(), *type);
        EXPECT_EQ(find_flaw(axis, slice, sections[0].layout.axis(0), sections, 0, layout), "");
        empty += slice.count == 0;
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    EXPECT_GT(cyclic_to[DistType::cyclic], 1000);
    EXPECT_GT(cyclic_to[DistType::block], 1000);
    EXPECT_GT(cyclic_to[std::nullopt], 500);
    EXPECT_GT(empty, 500);
}

// All axes at once, on every process; the result is an ordinary layout.
TEST(SliceLayouts, slices_of_arrays) {
    std::map<int, int> ranks;
    for_each_case(4000, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::any);
        ++ranks[layout.rank()];
        std::vector<AxisSlice> slices;
        for (int d = 0; d < layout.rank(); ++d) {
            const std::int64_t size = layout.extent(d);
            const AxisSlice slice = random_slice(random, size, false);
            slices.push_back(expected_type(layout.axis(d), slice) ? slice : AxisSlice{0, size, 1});
        }
        std::vector<SectionSlice> sections;
        for (int p = 0; p < layout.process_count(); ++p)
            sections.push_back(slice_section(layout, p, slices));
        const ArrayLayout& part = sections[0].layout;
        EXPECT_TRUE(part.grid() == layout.grid());
        for (std::size_t d = 0; d < slices.size(); ++d)
            EXPECT_EQ(find_flaw(layout.axis(static_cast<int>(d)), slices[d],
                                part.axis(static_cast<int>(d)), sections, d, layout),
                      "")
                << layout.describe() << "\n  axis " << d;
        for (const SectionSlice& section : sections) {
            EXPECT_TRUE(section.layout == part);
            EXPECT_EQ(section.layout.fingerprint(), part.fingerprint());
        }
        for (const auto& version : {protocol::v0_9_0, protocol::v0_10_0}) {
            expect_conforms(check_exportable(part, version));
            const auto data = exported(part, version);
            expect_conforms(check_all(version, data));
            EXPECT_TRUE(layout_from_dim_data(version, data) == part) << part.describe();
        }
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    for (int rank = 0; rank <= 7; ++rank) EXPECT_GT(ranks[rank], 300) << rank;
}

// Blocks of 2^40 cells and more processes than rounds: no overflow, and no repeated search.
TEST(SliceLayouts, of_long_axes) {
    const std::int64_t n = std::int64_t(1) << 56;
    const ArrayLayout layout(
        ProcessGrid{1000, 1000, 1000},
        {block_cyclic(n, n), block_cyclic(8, std::int64_t(1) << 40), block(8)});
    const SectionSlice all = slice_section(layout, 0, {});
    EXPECT_TRUE(all.layout == layout);
    const SectionSlice part = slice_section(layout, 0, {{n - 3, 2, 2}, {5, 3}, {2, 3, 2}});
    EXPECT_EQ(part.layout.size(), 18);
    EXPECT_EQ(part.begin[0], n - 3);
    EXPECT_EQ(part.begin[1], 5);
    EXPECT_EQ(part.layout.owner(std::array{GlobalIndex(1), GlobalIndex(2), GlobalIndex(1)}), 4);
}

} // namespace distview::testing
