// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect_error.hpp"
#include "random_layouts.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/print.hpp>
#include <distview/core/protocol/convert.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Line = DistView<double*, Kokkos::HostSpace>;
using Indices = std::vector<std::int64_t>;

/// Global indices of the positions of a range.
Indices indices_of(const Line& line, LocalRange range) {
    Indices result;
    for (LocalIndex l = range.begin; l < range.end; ++l)
        result.push_back(line.global_index(0, l).value());
    return result;
}

Indices all_indices(const Line& line) {
    return indices_of(line, {LocalIndex(0), LocalIndex(line.view().extent(0))});
}

/// begin, begin + 1, ..., end - 1.
Indices ascending(std::int64_t begin, std::int64_t end) {
    Indices result;
    for (std::int64_t i = begin; i < end; ++i) result.push_back(i);
    return result;
}

/// An axis of any kind over `processes`, and each process's interior indices.
struct AnyAxis {
    AxisSpec spec = block(0);
    std::vector<Indices> interior{};
    Widths boundary{};
};

AnyAxis random_axis(Random& random, int processes) {
    AnyAxis axis;
    axis.interior.resize(static_cast<std::size_t>(processes));
    const std::int64_t kind = random.integer(0, 3);
    if (kind == 0) {
        const auto sizes = random_block_sizes(random, processes, 9);
        axis.boundary = {random.integer(0, 4), random.integer(0, 4)};
        axis.spec = block_bounds(bounds_of_sizes(sizes),
                                 {.boundary = axis.boundary, .periodic = random.chance(0.5)},
                                 random_matched_paddings(random, sizes));
        std::int64_t next = 0;
        for (std::size_t p = 0; p < sizes.size(); ++p, next += sizes[p - 1])
            axis.interior[p] = ascending(next, next + sizes[p]);
    } else if (kind == 1) {
        const std::int64_t size = random.integer(0, 40);
        const std::int64_t block_size = random.integer(1, 5);
        axis.spec = block_cyclic(size, block_size);
        for (std::int64_t i = 0; i < size; ++i)
            axis.interior[static_cast<std::size_t>(i / block_size % processes)].push_back(i);
    } else {
        axis.interior = random_labels(random, processes, random.integer(0, 30));
        axis.spec = unstructured(axis.interior, true);
    }
    return axis;
}

/// Start and stop in the protocol's dictionary.
std::pair<int, int> bounds_in(const ArrayLayout& layout, int process,
                              const protocol::Version& version) {
    const protocol::DimData dim = protocol::export_dim_data(layout, process, version)[0];
    return {static_cast<int>(dim.start.value()), static_cast<int>(dim.stop.value())};
}

} // namespace

// The table of docs/index_spaces.md.
TEST(DistView, the_worked_table_of_index_spaces) {
    const ArrayLayout layout(ProcessGrid{2}, {block(16, {.padding = 1})});
    const Line first(Exec(), "first", layout, 0);
    const Line second(Exec(), "second", layout, 1);
    for (const Line& line : {first, second}) {
        EXPECT_EQ(line.extent(0), 16);
        EXPECT_EQ(line.size(), 16);
        EXPECT_EQ(line.layout().extent(0), 16);
        EXPECT_EQ(line.layout().protocol_size(0), 18);
        EXPECT_EQ(line.view().extent(0), 10u);
    }
    EXPECT_EQ(first.owned_range(0), (LocalRange{LocalIndex(0), LocalIndex(9)}));
    EXPECT_EQ(second.owned_range(0), (LocalRange{LocalIndex(1), LocalIndex(10)}));
    EXPECT_EQ(indices_of(first, first.owned_range(0)), ascending(-1, 8));
    EXPECT_EQ(indices_of(second, second.owned_range(0)), ascending(8, 17));
    EXPECT_EQ(first.interior_range(0), (LocalRange{LocalIndex(1), LocalIndex(9)}));
    EXPECT_EQ(second.interior_range(0), (LocalRange{LocalIndex(1), LocalIndex(9)}));
    EXPECT_EQ(indices_of(first, first.interior_range(0)), ascending(0, 8));
    EXPECT_EQ(indices_of(second, second.interior_range(0)), ascending(8, 16));
    EXPECT_EQ(all_indices(first), ascending(-1, 9));
    EXPECT_EQ(all_indices(second), ascending(7, 17));

    const AxisLayout& axis = layout.axis(0);
    EXPECT_EQ(axis.protocol_index(GlobalIndex(-1)), 0);
    EXPECT_EQ(axis.protocol_index(GlobalIndex(16)), 17);
    EXPECT_EQ(bounds_in(layout, 0, protocol::v0_10_0), std::pair(0, 10));
    EXPECT_EQ(bounds_in(layout, 1, protocol::v0_10_0), std::pair(8, 18));
    EXPECT_EQ(bounds_in(layout, 0, protocol::v0_9_0), std::pair(0, 9));
    EXPECT_EQ(bounds_in(layout, 1, protocol::v0_9_0), std::pair(9, 18));
}

// With any padding, on every process: interior indices count from 0, boundary padding has indices
// below 0 and from the extent on, and copies have the indices of their originals.
TEST(DistView, indices_of_any_axis_are_those_of_the_interior) {
    for_each_case(1000, [](Random& random, std::uint64_t) {
        const int processes = static_cast<int>(random.integer(1, 6));
        const AnyAxis axis = random_axis(random, processes);
        const ArrayLayout layout(ProcessGrid{processes}, {axis.spec});
        SCOPED_TRACE(layout.describe());
        std::int64_t extent = 0;
        for (const Indices& interior : axis.interior)
            extent += static_cast<std::int64_t>(interior.size());
        for (int p = 0; p < processes; ++p) {
            const Line line(Exec(), "line", layout, p);
            ASSERT_EQ(line.extent(0), extent);
            ASSERT_EQ(AnyDistView(line).extent(0), extent);
            ASSERT_EQ(AnyDistView(line).size(), extent);
            const Indices& interior = axis.interior[static_cast<std::size_t>(p)];
            ASSERT_EQ(indices_of(line, line.interior_range(0)), interior);

            const Indices all = all_indices(line);
            if (layout.axis(0).is_block()) {
                const std::int64_t begin = all.empty() ? 0 : all.front();
                ASSERT_EQ(all, ascending(begin, begin + static_cast<std::int64_t>(all.size())));
                if (p == 0 && axis.boundary.low > 0) {
                    ASSERT_EQ(begin, -axis.boundary.low);
                }
                if (p == processes - 1 && axis.boundary.high > 0) {
                    ASSERT_EQ(all.back(), extent + axis.boundary.high - 1);
                }
            }
            for (std::size_t l = 0; l < all.size(); ++l) {
                ASSERT_EQ(line.local_index(0, GlobalIndex(all[l])), static_cast<int>(l));
                const GlobalIndex g(all[l]);
                const GlobalIndex index[] = {g};
                const bool owned = line.owned_range(0).contains(LocalIndex(l));
                ASSERT_EQ(layout.owner(index) == p, owned) << all[l];
                ASSERT_EQ(layout.axis(0).global_index(layout.axis(0).protocol_index(g)), g);
            }
        }
    });
}

// The protocol's indices begin at the boundary padding.
TEST(DistView, view_has_ghosts_and_owned_has_none) {
    const ArrayLayout layout(ProcessGrid{2},
                             {unstructured({{7, 3, 5}, {5, 7}}, {.ghosts = {1, 1}})});
    const Line line(Exec(), "line", layout, 0);
    for (int l = 0; l < 3; ++l) line.view()(l) = 10 + l;
    EXPECT_EQ(line.extent(0), 3);
    EXPECT_EQ(line.view().extent(0), 3U);
    EXPECT_EQ(line.owned().extent(0), 2U);
    EXPECT_EQ(indices_of(line, line.owned_range(0)), (std::vector<std::int64_t>{7, 3}));
    EXPECT_EQ(all_indices(line), (std::vector<std::int64_t>{7, 3, 5}));
    std::ostringstream text;
    print(text, line);
    EXPECT_EQ(text.str(),
              "line: process 0 of 2, section (3)\n         10          11         (12)\n");
}

TEST(DistView, protocol_indices_are_those_of_the_dictionaries) {
    const ArrayLayout layout(ProcessGrid{3}, {block(20, {.padding = {2, 2}, .boundary = {3, 1}})});
    for (int p = 0; p < 3; ++p) {
        const Line line(Exec(), "line", layout, p);
        const protocol::DimData dim = protocol::export_dim_data(layout, p, protocol::v0_10_0)[0];
        EXPECT_EQ(dim.size, layout.protocol_size(0));
        const GlobalIndex first = line.global_index(0, LocalIndex(0));
        EXPECT_EQ(dim.start, layout.axis(0).protocol_index(first).value());
        EXPECT_EQ(dim.size, 24);
    }
    EXPECT_EQ(layout.extent(0), 20);
}

TEST(DistView, refuses_layouts_and_processes_that_do_not_fit) {
    const ArrayLayout layout(ProcessGrid{2}, {block(8)});
    expect_error<ShapeError>(
        [&] { const DistView<double**, Kokkos::HostSpace> plane(Exec(), "plane", layout, 0); },
        "DistView: expected a layout of 2 axes, got 1");
    expect_error<UsageError>([&] { const Line line(Exec(), "line", layout, 2); },
                             "DistView: expected a process in [0, 2), got 2");
}

TEST(DistView, refuses_sections_that_do_not_fit_static_extents) {
    using Triples = DistView<double* [3], Kokkos::HostSpace>;
    const auto make = [](const AxisSpec& columns) {
        const ArrayLayout layout(ProcessGrid{1, 1}, {block(5), columns});
        const Triples u(Exec(), "u", layout, 0);
        EXPECT_EQ(u.view().size(), 15U);
    };
    make(block(3));
    expect_error<ShapeError>([&] { make(block(4)); },
                             "DistView: expected 4 elements along axis 1 of the section of process "
                             "0, the view 'u' has 3");
    expect_error<ShapeError>([&] { make(block(3, {.padding = 1})); },
                             "DistView: expected 5 elements along axis 1 of the section of process "
                             "0, the view 'u' has 3");
}

// Allocates in C order, for any extents.
TEST(DistView, of_strided_views_has_elements_of_its_own) {
    using Strided = DistView<int***, Kokkos::LayoutStride, Kokkos::HostSpace>;
    const ArrayLayout layout(ProcessGrid{1, 1, 1}, {block(2), cyclic(3), block(4, {.padding = 1})});
    const Strided u(Exec(), "u", layout, 0);
    Exec().fence();
    EXPECT_EQ(u.view().span(), 2U * 3U * 6U);
    EXPECT_EQ(AnyDistView(u).section().strides, (Indices{72, 24, 4}));
    for (std::size_t i = 0; i < u.view().span(); ++i) EXPECT_EQ(u.view().data()[i], 0);
    const Strided empty(Exec(), "empty",
                        ArrayLayout(ProcessGrid{1, 1, 1}, {block(2), block(0), block(4)}), 0);
    EXPECT_EQ(AnyDistView(empty).section().strides, (Indices{16, 16, 4}));
    const DistView<double, Kokkos::LayoutStride, Kokkos::HostSpace> scalar(Exec(), "scalar",
                                                                           ArrayLayout(), 0);
    EXPECT_EQ(scalar.view().span(), 1U);
}

// If only one process's indices are known, no section of another process can be made.
TEST(DistView, refuses_processes_whose_indices_are_not_known) {
    const ArrayLayout layout(ProcessGrid{2}, {unstructured_local(5, 1, {9, 4})});
    EXPECT_NO_THROW(Line(Exec(), "u", layout, 1));
    const std::string message =
        ": the layout knows the indices of axis 0 only for grid coordinate 1, got process 0 at 0";
    expect_error<UsageError>([&] { const Line u(Exec(), "u", layout, 0); }, "DistView" + message);
    AnySection section = AnyDistView(Line()).section();
    expect_error<UsageError>([&] { AnyDistView(section, layout, 0); }, "AnyDistView" + message);
}

TEST(DistView, without_axes) {
    using Scalar = DistView<double, Kokkos::HostSpace>;
    const Scalar scalar(Exec(), "scalar", ArrayLayout(), 0);
    EXPECT_EQ(scalar.owned().data(), scalar.view().data());
    std::ostringstream none, one;
    print(none, Scalar());
    EXPECT_EQ(none.str(), ": process 0 of 1, section ()\n\n");
    print(one, scalar);
    EXPECT_EQ(one.str(), "scalar: process 0 of 1, section ()\n          0 \n");
    std::ostringstream line;
    print(line, Line());
    EXPECT_EQ(line.str(), ": process 0 of 1, section (0)\n");
}

TEST(DistView, has_no_elements_if_nobody_gave_it_any) {
    EXPECT_EQ(Line().size(), 0);
    EXPECT_EQ(Line().identity(), 0U);
    EXPECT_EQ(AnyDistView(Line()).size(), 0);
    EXPECT_EQ((DistView<double, Kokkos::HostSpace>().size()), 0);
    EXPECT_EQ((DistView<double, Kokkos::HostSpace>(Exec(), "scalar", ArrayLayout(), 0).size()), 1);
}

} // namespace distview::testing
