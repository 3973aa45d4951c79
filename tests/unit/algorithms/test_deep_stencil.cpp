// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// apply_stencil() with a Reach: padding for several steps, exchanged when used up, with the same
// bits as the model.
#include "plate_model.hpp"
#include "sections.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/random.hpp>
#include <distview/algorithms/scan.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Plate = DistView<std::int64_t**, Kokkos::HostSpace>;

/// The model's rule reads two cells below and one above.
constexpr Widths read(2, 1);

/// The cell next to a wall, also in padding, whichever process owns it.
struct FollowCell {
    Plate::view_type cells;
    int begin[2];
    int end[2];
    KOKKOS_FUNCTION void operator()(int i, int j) const {
        const int from_i = i < begin[0] ? begin[0] : (i >= end[0] ? end[0] - 1 : i);
        const int from_j = j < begin[1] ? begin[1] : (j >= end[1] ? end[1] - 1 : j);
        cells(i, j) = cells(from_i, from_j);
    }
};

FollowCell follow_cell(const Plate& plate) {
    FollowCell result{plate.view(), {}, {}};
    for (int d = 0; d < 2; ++d) {
        const AxisLayout& axis = plate.layout().axis(d);
        const auto position = [&](std::int64_t g) {
            return static_cast<int>(g - plate.global_index(d, LocalIndex(0)).value());
        };
        result.begin[d] = axis.periodic() ? 0 : position(0);
        result.end[d] = axis.periodic()
                            ? static_cast<int>(plate.view().extent(static_cast<unsigned>(d)))
                            : position(axis.size());
    }
    return result;
}

struct DeepRun {
    int deep = 1; ///< steps that one exchange serves
    int steps = 12;
    bool walls_follow = false;
    bool wide = false;   ///< sections have few cells or none, and padding covers several of them
    bool uneven = false; ///< one side is used up before the other, which `deep` counts
};

/// The number of cells that differ from the model after run.steps steps.
int count_wrong_after(Random& random, const Communicator& comm, const DeepRun& run) {
    const HostExec exec;
    const std::vector<int> grid = random_process_grid(random, comm.size(), 2);
    Widths padding(read.low * run.deep, read.high * run.deep);
    std::int64_t& shorter = random.chance(0.5) ? padding.low : padding.high;
    const std::int64_t least = &shorter == &padding.low ? read.low : read.high;
    if (run.uneven) shorter = random.integer(least, shorter);
    const auto extent_of = [&](int parts) {
        // If walls follow their cells, the process at the wall needs cells.
        if (run.wide) return random.integer(run.walls_follow ? parts : 1, 3 * parts + 1);
        const std::int64_t deepest = std::max(padding.low, padding.high);
        return random.integer(deepest * parts, deepest * parts + 9);
    };
    Model model{extent_of(grid[0]),
                extent_of(grid[1]),
                {random.chance(0.5), random.chance(0.5)},
                {},
                run.walls_follow};
    const auto axis = [&](std::int64_t n, bool periodic) {
        // On a periodic axis the two ends may have less padding than the others.
        const Widths ends(run.uneven ? random.integer(read.low, padding.low + 1) : padding.low,
                          run.uneven ? random.integer(read.high, padding.high + 1) : padding.high);
        return block(
            n, {.padding = padding, .boundary = periodic ? ends : read, .periodic = periodic});
    };
    const ArrayLayout layout(
        ProcessGrid(std::span<const int>(grid)),
        {axis(model.rows, model.periodic[0]), axis(model.columns, model.periodic[1])});
    for (std::int64_t i = 0; i < model.rows; ++i)
        for (std::int64_t j = 0; j < model.columns; ++j) model.cells.push_back(first_value(i, j));

    auto now = make_dist_view<std::int64_t**, Kokkos::HostSpace>(exec, "now", comm, layout);
    auto next = make_dist_view<std::int64_t**, Kokkos::HostSpace>(exec, "next", comm, layout);
    fill_with(exec, now,
              [](GlobalIndex i, GlobalIndex j) { return first_value(i.value(), j.value()); });
    PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, now, next);
    for (int step = 0; step < run.steps; ++step) {
        if (run.walls_follow) for_each_boundary(exec, "walls", now, follow_cell(now));
        apply_stencil(exec, "rule", plan, Reach{read}, next,
                      Rule<Plate::view_type>{now.view(), next.view()}, now);
        std::swap(now, next);
        model.step();
    }
    return count_wrong_cells(now, model);
}

TEST(DeepStencil, StepsAsOneProcessWould) {
    const Communicator comm = world();
    for (int deep = 1; deep <= 4; ++deep)
        for (const bool walls_follow : {false, true})
            for_each_case(20, [&](Random& random, std::uint64_t) {
                EXPECT_EQ(count_wrong_after(random, comm, {deep, 12, walls_follow, false}), 0)
                    << "deep " << deep << (walls_follow ? ", walls follow" : "");
            });
}

// Padding covers cells, and walls, of several processes; each process computes them, too.
TEST(DeepStencil, StepsOverPaddingWiderThanSections) {
    const Communicator comm = world();
    for (int deep = 1; deep <= 4; ++deep)
        for (const bool walls_follow : {false, true})
            for_each_case(20, [&](Random& random, std::uint64_t) {
                EXPECT_EQ(count_wrong_after(random, comm, {deep, 12, walls_follow, true}), 0)
                    << "deep " << deep << (walls_follow ? ", walls follow" : "");
            });
}

// All ranks must exchange in the same steps: ranks at a wall have only one side, which alone would last longer.
TEST(DeepStencil, StepsAlikeWhereOneSideOfAnAxisRunsOutFirst) {
    const Communicator comm = world();
    for (int deep = 2; deep <= 4; deep += 2)
        for (const bool walls_follow : {false, true})
            for (const bool wide : {false, true})
                for_each_case(5, [&](Random& random, std::uint64_t) {
                    EXPECT_EQ(count_wrong_after(random, comm, {deep, 12, walls_follow, wide, true}),
                              0)
                        << "deep " << deep << (walls_follow ? ", walls follow" : "");
                });
}

TEST(DeepStencil, CountsSidesAtWallsAsOtherRanksDo) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(8 * comm.size(), {.padding = {6, 2}, .boundary = 3})});
    auto now = make_dist_view<double*, Kokkos::HostSpace>(HostExec(), "now", comm, layout);
    auto next = make_dist_view<double*, Kokkos::HostSpace>(HostExec(), "next", comm, layout);
    fill_with(HostExec(), now, [](GlobalIndex i) { return double(i.value() * i.value() % 17); });
    PaddingExchangePlan plan(comm, layout);
    plan.execute(HostExec(), now, next);
    // A single process has no padding.
    const auto expected = [&](std::int64_t low, std::int64_t high) {
        return comm.size() > 1 ? Widths(low, high) : Widths(0);
    };
    for (int step = 0; step < 9; ++step) {
        const auto from = now.view(), to = next.view();
        apply_stencil(
            HostExec(), "upwind", plan, Reach{{3, 1}}, next,
            [=](int i) { to(i) = 0.25 * (from(i - 3) + from(i - 1) + from(i) + from(i + 1)); },
            now);
        std::swap(now, next);
        EXPECT_EQ(now.valid_padding().depth(0), step % 2 == 0 ? expected(3, 1) : expected(0, 0));
    }
    // With equal reach on both sides the high side lasts two steps; the low side alone would last six.
    now.mark_written();
    for (int step = 0; step < 6; ++step) {
        const auto from = now.view(), to = next.view();
        apply_stencil(
            HostExec(), "mean", plan, Reach{1}, next,
            [=](int i) { to(i) = 0.5 * (from(i - 1) + from(i + 1)); }, now);
        std::swap(now, next);
        EXPECT_EQ(now.valid_padding().depth(0), step % 2 == 0 ? expected(5, 1) : expected(4, 0));
    }
}

/// A ring in rows; messages fill its padding.
struct Ring {
    explicit Ring(int deep)
        : layout(ProcessGrid{comm.size()},
                 {block(8 * comm.size(), {.padding = deep, .periodic = true})}) {}

    auto make(const char* label) const {
        return make_dist_view<double*, Kokkos::HostSpace>(HostExec(), label, comm, layout);
    }
    Communicator comm = world();
    ArrayLayout layout;
};

TEST(DeepStencil, SendsAMessageEveryFewSteps) {
    ::setenv("DISTVIEW_TRANSPORT", "message", 1);
    for (int deep = 1; deep <= 4; ++deep) {
        const Ring ring(deep);
        auto now = ring.make("now"), next = ring.make("next");
        PaddingExchangePlan plan(ring.comm, ring.layout);
        plan.execute(HostExec(), now, next);
        now.mark_written();
        plan.bind(Kokkos::DefaultHostExecutionSpace(), now);
        plan.bind(Kokkos::DefaultHostExecutionSpace(), next);
        MpiCounters counters;
        for (int step = 0; step < 12; ++step) {
            const auto from = now.view(), to = next.view();
            apply_stencil(
                HostExec(), "mean", plan, Reach{1}, next,
                [=](int i) { to(i) = 0.5 * (from(i - 1) + from(i + 1)); }, now);
            std::swap(now, next);
        }
        const auto peers = static_cast<std::int64_t>(plan.send_peers().size());
        EXPECT_EQ(counters.stop().sent_total().messages, (12 + deep - 1) / deep * peers);
    }
    ::unsetenv("DISTVIEW_TRANSPORT");
}

// A second array that is read, such as a coefficient, is exchanged once.
TEST(DeepStencil, GoesAsFarAsAllArraysThatAreReadAreValid) {
    const Ring ring(3);
    const auto u = ring.make("u"), k = ring.make("k"), v = ring.make("v");
    PaddingExchangePlan plan(ring.comm, ring.layout);
    plan.execute(HostExec(), k);
    PaddingExchangePlan narrow(ring.comm, ring.layout, {.widths = std::vector<Widths>{2}});
    narrow.execute(HostExec(), u);
    apply_stencil(HostExec(), "nothing", plan, Reach{1}, v, [](int) {}, u, k);
    EXPECT_EQ(v.valid_padding().depth(0), Widths(1));
    EXPECT_EQ(k.valid_padding().depth(0), Widths(3));
    EXPECT_EQ(valid_cells(v)[0], (LocalRange{LocalIndex(2), LocalIndex(12)}));
}

TEST(DeepStencil, WithoutCornersKeepsToTheInterior) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {block(4 * comm.size(), {.padding = 2, .periodic = true}),
                              block(4, {.padding = 2, .periodic = true})});
    const auto u = make_dist_view<double**, Kokkos::HostSpace>(HostExec(), "u", comm, layout);
    const auto v = make_dist_view<double**, Kokkos::HostSpace>(HostExec(), "v", comm, layout);
    PaddingExchangePlan faces(comm, layout, {.stencil = Stencil::faces});
    apply_stencil(HostExec(), "nothing", faces, Reach{1}, v, [](int, int) {}, u);
    EXPECT_EQ(v.valid_padding().deepest(), Widths(0));
    EXPECT_FALSE(faces.require(HostExec(), 2, u));
    EXPECT_TRUE(faces.require(HostExec(), 1, v));
}

TEST(DeepStencil, WantsCellsOfThePlansLayout) {
    const Ring ring(2), other(3);
    const auto from = ring.make("from"), to = other.make("to");
    PaddingExchangePlan plan(ring.comm, ring.layout);
    EXPECT_THROW_ON_ALL_RANKS(apply_stencil(
                                  HostExec(), "nothing", plan, Reach{1}, to, [](int) {}, from),
                              ShapeError,
                              "apply_stencil: expected an array of the plan's layout, got a ");
}

TEST(ValidPadding, IsGoneAfterAnyAlgorithmThatWrites) {
    const HostExec exec;
    const Ring ring(2);
    const auto u = ring.make("u"), v = ring.make("v");
    const DistView<const double*, Kokkos::HostSpace> read_only = u;
    PaddingExchangePlan plan(ring.comm, ring.layout);
    const std::vector<double> all(static_cast<std::size_t>(ring.layout.size()), 1.0);
    const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        host(all.data(), all.size());
    GlobalAccess access(exec, ring.comm, u);
    const auto some = slice(u, {{1, 3}});
    const std::vector<std::pair<const char*, std::function<void()>>> writers{
        {"for_each", [&] { for_each(exec, u, [](int) {}); }},
        {"for_each of a box", [&] { for_each(exec, u, [](int) {}, plan.inner_cells()); }},
        {"for_each_global", [&] { for_each_global(exec, u, [](GlobalIndex) {}); }},
        {"for_each_with_global", [&] { for_each_with_global(exec, u, [](int, GlobalIndex) {}); }},
        {"fill", [&] { fill(exec, u, 1.0); }},
        {"fill_with", [&] { fill_with(exec, u, [](GlobalIndex) { return 1.0; }); }},
        {"fill_random", [&] { fill_random(exec, u, {.seed = 1}); }},
        {"copy", [&] { copy(exec, v, u); }},
        {"axpby", [&] { axpby(exec, 1.0, v, 2.0, u); }},
        {"scale", [&] { scale(exec, 2.0, u); }},
        {"transform", [&] { transform(exec, u, [](double x) { return x; }, v); }},
        {"inclusive_scan", [&] { inclusive_scan(exec, ring.comm, v, 0, u); }},
        {"sort", [&] { sort(exec, ring.comm, u); }},
        {"scatter", [&] { scatter(exec, ring.comm, host, 0, u); }},
        {"put_elements",
         [&] {
             const Kokkos::View<double*, Kokkos::HostSpace> none("none", 0);
             put_elements(exec, ring.comm, u, IndexList(1), none);
         }},
        {"GlobalAccess", [&] { access.fence(exec); }},
        {"with_local_copy",
         [&] {
             with_local_copy(exec, u, Intent::inout, MemoryOrder::row_major, [](const auto&) {});
         }},
        {"apply_stencil", [&] { apply_stencil(exec, plan, u, [](int) {}, v); }},
        {"fill of a slice", [&] { fill(exec, some, 1.0); }},
        {"for_each of a slice", [&] { for_each(exec, some, [](int) {}); }},
        {"scatter into a slice",
         [&] { scatter(exec, ring.comm, Kokkos::subview(host, std::pair(0, 3)), 0, some); }},
    };
    for (const auto& [name, write] : writers) {
        plan.execute(exec, u, v);
        EXPECT_EQ(u.valid_padding().depth(0), Widths(2));
        write();
        EXPECT_EQ(u.valid_padding(), ValidPadding()) << name;
    }
    plan.execute(exec, u);
    for_each(exec, read_only, [](int) {});
    copy(exec, u, v);
    with_local_copy(exec, u, Intent::in, MemoryOrder::row_major, [](const auto&) {});
    EXPECT_EQ(u.valid_padding().depth(0), Widths(2)) << "after reading";
}

// Along axes whose indices are not in order, scans write through another array over the same memory.
TEST(ValidPadding, IsGoneAfterScansAlongAxesThatAreDealtOut) {
    const HostExec exec;
    const Communicator comm = world();
    std::vector<std::vector<std::int64_t>> labels;
    for (std::int64_t p = comm.size(); p > 0; --p) labels.push_back({2 * p, 2 * p + 1});
    for (const AxisSpec& axis :
         {AxisSpec(cyclic(2 * comm.size())), AxisSpec(unstructured(labels))}) {
        const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                                 {axis, block(6, {.padding = 1, .periodic = true})});
        const auto u = make_dist_view<double**, Kokkos::HostSpace>(exec, "u", comm, layout);
        const auto v = make_dist_view<double**, Kokkos::HostSpace>(exec, "v", comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (const auto& source : {u, v}) {
            plan.execute(exec, u, v);
            inclusive_scan(exec, comm, source, 0, u);
            EXPECT_EQ(u.valid_padding(), ValidPadding()) << layout.describe();
            EXPECT_TRUE(plan.require(exec, 1, u));
            EXPECT_FALSE(plan.require(exec, 1, v));
        }
    }
}

} // namespace

} // namespace distview::testing
