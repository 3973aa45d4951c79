// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistribution from and to slices of arrays. Oracle: plans with the slices as options, which
// test_redistribution_plan_any.cpp compares with a reference.
#include "redistribution_oracle.hpp"
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Whole = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

bool can_be_sliced(const AxisSpec& axis, int processes, const AxisSlice& slice) {
    try {
        slice_section(ArrayLayout(ProcessGrid{processes}, {axis}), 0, {slice});
    } catch (const LayoutError&) {
        return false;
    }
    return true;
}

struct SlicedAxisCase {
    AxisSpec spec;
    AxisSlice slice;
    int processes = 1;
};

/// An axis and a slice of it that is a layout by itself; the whole axis if several attempts find none.
SlicedAxisCase random_sliced_axis(Random& random, int processes) {
    const std::int64_t size = random.integer(0, 25);
    SlicedAxisCase result{random_axis_spec(random, processes, size), {}, processes};
    for (int attempt = 0; attempt < 6; ++attempt) {
        AxisSlice slice;
        slice.begin = random.integer(0, size + 1);
        slice.step = random.integer(1, 6);
        if (!can_be_sliced(result.spec, processes, slice)) continue;
        result.slice = slice;
        break;
    }
    const ArrayLayout layout(ProcessGrid{processes}, {result.spec});
    result.slice = complete_slice(result.slice, layout.extent(0), "");
    return result;
}

/// An array with slices of its axes, and an array of the slices' size over another grid.
struct Case {
    ArrayLayout whole;
    std::vector<AxisSlice> slices;
    ArrayLayout other;
    std::vector<int> permutation{0, 1, 2}; ///< axis d of `other` is axis permutation[d] of `whole`

    Case(Random& random, int processes) {
        const ProcessGrid grid(random_process_grid(random, processes, 3));
        const ProcessGrid other_grid(random_process_grid(random, processes, 3));
        random.shuffle(permutation);
        std::vector<AxisSpec> axes;
        for (int d = 0; d < 3; ++d) {
            const SlicedAxisCase axis = random_sliced_axis(random, grid.extent(d));
            axes.push_back(axis.spec);
            slices.push_back(axis.slice);
        }
        whole = ArrayLayout(grid, axes);
        axes.clear();
        for (int d = 0; d < 3; ++d) {
            const auto from = static_cast<std::size_t>(permutation[static_cast<std::size_t>(d)]);
            axes.push_back(random_axis_spec(random, other_grid.extent(d), slices[from].count));
        }
        other = ArrayLayout(other_grid, axes);
    }

    std::string describe() const {
        std::string result = whole.describe() + "\nand " + other.describe() + "\nslices";
        for (const AxisSlice& slice : slices)
            result += text(" (", slice.begin, ", ", slice.count, ", ", slice.step, ')');
        return result + ", permutation " + tuple_text(permutation);
    }
    /// Slices that cover an array of the slices' size: they pair cells by order, as the slices do.
    /// Without them, unstructured axes would be paired by index.
    std::vector<AxisSlice> everything() const {
        std::vector<AxisSlice> result;
        for (const AxisSlice& slice : slices) result.push_back({0, slice.count, 1});
        return result;
    }
    /// The permutation of the plan from `other` to the slice.
    std::vector<int> inverse() const {
        std::vector<int> result(3);
        for (int d = 0; d < 3; ++d)
            result[static_cast<std::size_t>(permutation[static_cast<std::size_t>(d)])] = d;
        return result;
    }
};

/// A section whose numbers are unique over all positions of all processes, padding included.
Whole make_numbered(const Communicator& comm, const ArrayLayout& layout, bool in_arena,
                    std::int64_t first) {
    const Whole array = in_arena
                            ? make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
                                  Exec(), "array", comm, layout)
                            : Whole(Exec(), "array", layout, comm.rank());
    Exec().fence("distview::testing: zeros are written");
    std::iota(array.view().data(), array.view().data() + array.view().size(),
              static_cast<double>(first + comm.rank() * 1'000'000));
    return array;
}

std::vector<double> contents_of(const Whole& array) {
    return {array.view().data(), array.view().data() + array.view().size()};
}

} // namespace

TEST(RedistributionOfSlices, from_a_slice_as_from_the_whole_with_slices) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::vector<TransportChoice> choices = possible_transports(comm);
    std::map<DistType, int> partial;
    for_each_case(300, [&](Random& random, std::uint64_t) {
        const Case c(random, comm.size());
        SCOPED_TRACE(c.describe());
        const TransportSetting setting(random.pick(choices));
        const Whole source = make_numbered(comm, c.whole, true, 0);
        const Whole expected = make_numbered(comm, c.other, true, 100'000'000);
        const Whole found = make_numbered(comm, c.other, true, 100'000'000);
        const auto part = slice(source, c.slices);
        RedistributionPlan(comm, c.whole, c.other,
                           {.permutation = c.permutation, .from_slice = c.slices})
            .execute(Exec(), source, expected);
        RedistributionPlan(comm, part.layout(), c.other,
                           {.permutation = c.permutation, .from_slice = c.everything()})
            .execute(Exec(), part, found);
        EXPECT_TRUE(contents_of(expected) == contents_of(found));
        for (int d = 0; d < 3; ++d)
            if (part.layout().extent(d) < c.whole.extent(d))
                ++partial[part.layout().axis(d).type()];
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    EXPECT_GT(partial[DistType::block], 100);
    EXPECT_GT(partial[DistType::cyclic], 20);
}

TEST(RedistributionOfSlices, to_a_slice_as_to_the_whole_with_slices) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::vector<TransportChoice> choices = possible_transports(comm);
    for_each_case(300, [&](Random& random, std::uint64_t) {
        const Case c(random, comm.size());
        SCOPED_TRACE(c.describe());
        const bool in_arena = random.chance(0.7);
        const TransportSetting setting(in_arena ? random.pick(choices) : TransportChoice());
        const Whole source = make_numbered(comm, c.other, in_arena, 0);
        const Whole expected = make_numbered(comm, c.whole, in_arena, 100'000'000);
        const Whole found = make_numbered(comm, c.whole, in_arena, 100'000'000);
        RedistributionPlan(comm, c.other, c.whole,
                           {.permutation = c.inverse(), .to_slice = c.slices})
            .execute(Exec(), source, expected);
        // Positions outside the slice must keep their numbers.
        const auto part = slice(found, c.slices);
        RedistributionPlan(comm, c.other, part.layout(),
                           {.permutation = c.inverse(), .to_slice = c.everything()})
            .execute(Exec(), AnyDistView(source), AnyDistView(part));
        EXPECT_TRUE(contents_of(expected) == contents_of(found));
    });
}

} // namespace distview::testing
