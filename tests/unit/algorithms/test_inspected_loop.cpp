// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/inspected_loop.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// The same expression for elements from any source; walls are copied.
struct Stencil27 {
    std::int64_t extents[3];

    template <class Elements, class Index>
    KOKKOS_FUNCTION static double average(const Elements& u, Index i, Index j, Index k) {
        double sum = 0;
        for (int a = -1; a <= 1; ++a)
            for (int b = -1; b <= 1; ++b)
                for (int c = -1; c <= 1; ++c)
                    sum += u(i + a, j + b, k + c) / (1 + a * a + 2 * b * b + 3 * c * c);
        return sum;
    }

    template <class Elements>
    KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t i, std::int64_t j,
                                      std::int64_t k) const {
        const bool is_wall = i == 0 || j == 0 || k == 0 || i == extents[0] - 1 ||
                             j == extents[1] - 1 || k == extents[2] - 1;
        return is_wall ? u(i, j, k) : average(u, i, j, k);
    }
};

double first_value(std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>((i * 7919 + j * 104729 + k * 1299709) % 1009) / 3;
}

/// Calls visit(local indices, global indices) for interior cells.
template <class View, class Visit>
void for_each_interior(const View& view, Visit&& visit) {
    for (LocalIndex i = view.interior_range(0).begin; i < view.interior_range(0).end; ++i)
        for (LocalIndex j = view.interior_range(1).begin; j < view.interior_range(1).end; ++j)
            for (LocalIndex k = view.interior_range(2).begin; k < view.interior_range(2).end; ++k)
                visit(i.value(), j.value(), k.value(), view.global_index(0, i).value(),
                      view.global_index(1, j).value(), view.global_index(2, k).value());
}

TEST(InspectedLoops, AStencilByGlobalIndicesHasThePaddedVersionsBits) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(12, [&](Random& random, std::uint64_t) {
        const ProcessGrid grid{std::span<const int>(random_process_grid(random, comm.size(), 3))};
        std::int64_t n[3];
        std::vector<AxisSpec> bare, padded;
        for (int d = 0; d < 3; ++d) {
            n[d] = random.integer(grid.extent(d), 3 * grid.extent(d) + 4);
            bare.push_back(block(n[d]));
            padded.push_back(block(n[d], {.padding = 1, .boundary = Widths{0, 0}}));
        }
        const ArrayLayout layout(grid, bare), with_padding(grid, padded);
        const auto u = make_dist_view<double***>(exec, "u", comm, layout);
        const auto v = make_dist_view<double***>(exec, "v", comm, layout);
        const auto p = make_dist_view<double***>(exec, "p", comm, with_padding);
        const auto q = make_dist_view<double***>(exec, "q", comm, with_padding);
        for_each_interior(u, [&](auto i, auto j, auto k, auto gi, auto gj, auto gk) {
            u.view()(i, j, k) = first_value(gi, gj, gk);
        });
        for_each_interior(p, [&](auto i, auto j, auto k, auto gi, auto gj, auto gk) {
            p.view()(i, j, k) = first_value(gi, gj, gk);
        });
        const Stencil27 stencil{{n[0], n[1], n[2]}};
        // Over all cells, or without the walls: here the results are the same.
        const bool inside = random.chance(0.5);
        const std::vector<IndexRange> cells =
            inside ? std::vector<IndexRange>{{1, n[0] - 1}, {1, n[1] - 1}, {1, n[2] - 1}}
                   : std::vector<IndexRange>{};
        Kokkos::deep_copy(v.view(), u.view());
        InspectedLoop loop(exec, comm, u, v, stencil, cells);
        InspectedLoop back(exec, comm, v, u, stencil, cells);
        PaddingExchangePlan plan(comm, with_padding);
        const auto step = [&](const auto& from, const auto& to) {
            plan.execute(exec, from);
            for_each_interior(to, [&](auto i, auto j, auto k, auto gi, auto gj, auto gk) {
                const bool is_wall = gi == 0 || gj == 0 || gk == 0 || gi == n[0] - 1 ||
                                     gj == n[1] - 1 || gk == n[2] - 1;
                to.view()(i, j, k) =
                    is_wall ? from.view()(i, j, k) : Stencil27::average(from.view(), i, j, k);
            });
        };
        for (int round = 0; round < 2; ++round) {
            loop.execute(exec);
            back.execute(exec);
            step(p, q);
            step(q, p);
        }
        std::vector<double> expected;
        for_each_interior(
            p, [&](auto i, auto j, auto k, auto...) { expected.push_back(p.view()(i, j, k)); });
        std::size_t next = 0;
        std::int64_t wrong = 0;
        for_each_interior(u, [&](auto i, auto j, auto k, auto...) {
            wrong += bits_equal(u.view()(i, j, k), expected[next++]) ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << layout.describe();
    });
}

/// Elements far away; some are read several times.
struct Shuffle {
    std::int64_t n;
    template <class Elements>
    KOKKOS_FUNCTION std::int64_t operator()(const Elements& u, std::int64_t i) const {
        const std::int64_t sum = u((7 * i + 3) % n) + 10 * u(n - 1 - i);
        return i % 3 == 0 ? sum : sum + 100 * u((7 * i + 3) % n);
    }
};

TEST(InspectedLoops, TakeAnyLayouts) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const int parts = comm.size();
    for_each_case(30, [&](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(1, 60);
        const auto layout = [&] {
            const ProcessGrid grid{parts};
            switch (random.integer(0, 4)) {
            case 0: return ArrayLayout(grid, {block(n)});
            case 1: return ArrayLayout(grid, {block_cyclic(n, random.integer(1, 5))});
            case 2:
                return ArrayLayout(grid,
                                   {block_bounds(random_bounds(random, n, parts), {.padding = 1})});
            default: break;
            }
            std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(parts));
            for (std::int64_t i = 0; i < n; ++i)
                lists[static_cast<std::size_t>(random.integer(0, parts))].push_back(i);
            return ArrayLayout(grid, {unstructured(lists)});
        };
        const auto u = make_dist_view<std::int64_t*>(exec, "u", comm, layout());
        const auto v = make_dist_view<std::int64_t*>(exec, "v", comm, layout());
        const auto value = [](std::int64_t i) { return i * i + 1; };
        const LocalRange range = u.interior_range(0);
        for (LocalIndex i = range.begin; i < range.end; ++i)
            u.view()(i.value()) = value(u.global_index(0, i).value());
        InspectedLoop loop(exec, comm, u, v, Shuffle{n});
        std::set<std::int64_t> own, others;
        for (LocalIndex i = range.begin; i < range.end; ++i)
            own.insert(u.global_index(0, i).value());
        for (LocalIndex l = v.interior_range(0).begin; l < v.interior_range(0).end; ++l) {
            const std::int64_t i = v.global_index(0, l).value();
            for (const std::int64_t asked : {(7 * i + 3) % n, n - 1 - i})
                if (!own.contains(asked)) others.insert(asked);
        }
        EXPECT_EQ(loop.brought(), std::ssize(others)) << "each of them once";
        for (int round = 0; round < 2; ++round) {
            loop.execute(exec);
            std::int64_t wrong = 0;
            const LocalRange cells = v.interior_range(0);
            for (LocalIndex l = cells.begin; l < cells.end; ++l) {
                const std::int64_t i = v.global_index(0, l).value();
                wrong += v.view()(l.value()) == Shuffle{n}(value, i) ? 0 : 1;
            }
            EXPECT_EQ(wrong, 0) << u.layout().describe() << v.layout().describe();
        }
    });
}

struct Outside {
    template <class Elements>
    KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t i) const {
        return u(i + 1);
    }
};

/// Reads more elements once values are not zero.
struct ByValue {
    template <class Elements>
    KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t) const {
        return u(0) == 0 ? 0 : u(1) + u(0);
    }
};

TEST(InspectedLoops, MisuseIsTheSameErrorOnAllRanks) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t n = 4 * comm.size();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {cyclic(n)});
    const auto u = make_dist_view<double*>(exec, "u", comm, layout);
    const auto v = make_dist_view<double*>(exec, "v", comm, layout);
    EXPECT_THROW_ON_ALL_RANKS(InspectedLoop(exec, comm, u, v, Outside()), UsageError,
                              text("expected indices in [0, ", n, ") along axis 0, got ", n));
    EXPECT_THROW_ON_ALL_RANKS(InspectedLoop(exec, comm, u, v, ByValue(), {{0, 1}, {0, 1}}),
                              UsageError, "expected 1 ranges of cells, one for each axis, got 2");
    const char* const shared = "InspectedLoop: expected arrays that share no memory, got 'u' and '";
    EXPECT_THROW_ON_ALL_RANKS(InspectedLoop(exec, comm, u, u, ByValue()), UsageError, shared);
    // A wrong array on one rank only.
    const bool is_last = comm.rank() == comm.size() - 1;
    const std::remove_const_t<decltype(u)> same(layout, comm.rank(), (is_last ? u : v).view());
    EXPECT_THROW_ON_ALL_RANKS(InspectedLoop(exec, comm, u, same, ByValue()), UsageError, shared);
    Kokkos::deep_copy(u.view(), 1);
    InspectedLoop loop(exec, comm, u, v, ByValue());
    EXPECT_THROW_ON_ALL_RANKS(loop.execute(exec), UsageError,
                              "the functor read more elements than during inspection");
    Kokkos::deep_copy(u.view(), 0);
    loop.execute(exec);
}

} // namespace

} // namespace distview::testing
