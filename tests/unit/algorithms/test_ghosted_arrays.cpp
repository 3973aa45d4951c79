// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays with ghosts: a graph whose vertices are distributed to all ranks but the last (if there are several); each
// rank has ghosts of its vertices' neighbours. Unfilled ghosts are NaN, so a result that has read one would show it.
#include "exact_reference.hpp"
#include "sections.hpp"

#include <distview/algorithms.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Vector = DistView<double*, Kokkos::HostSpace>;
using HostExec = Kokkos::DefaultHostExecutionSpace;
using Indices = std::vector<std::int64_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t size = 61;

/// Integers: sums are exact in any order.
double value(std::int64_t vertex) { return static_cast<double>(vertex * 37 % 101 - 30); }

/// A ring with chords.
Indices neighbours(std::int64_t vertex) {
    return {(vertex + 1) % size, (vertex + size - 1) % size, (vertex + 23) % size,
            (vertex + size - 23) % size};
}

class GhostedArrays : public ::testing::Test {
protected:
    GhostedArrays() {
        const std::int64_t owners = comm.size() > 2 ? comm.size() - 1 : comm.size();
        lists.resize(static_cast<std::size_t>(comm.size()));
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t vertex = i * 25 % size;
            lists[static_cast<std::size_t>(vertex * 19 % 7 % owners)].push_back(vertex);
        }
        for (const std::int64_t vertex : own())
            for (const std::int64_t other : neighbours(vertex)) needed.push_back(other);
        ghosted = make_ghosted_layout(comm, own(), needed);
    }
    const Indices& own() const { return lists[static_cast<std::size_t>(comm.rank())]; }

    Vector make(const ArrayLayout& layout) const {
        return make_dist_view<double*>(exec, "distview::test::vector", comm, layout);
    }
    /// An array whose owned elements are value_of(vertex); its ghosts are NaN.
    template <class Value>
    Vector make_of(const ArrayLayout& layout, Value&& value_of) const {
        const Vector u = make(layout);
        for (std::int64_t l = 0; l < u.view().extent_int(0); ++l) {
            const bool owned = u.owned_range(0).contains(LocalIndex(l));
            u.view()(l) = owned ? value_of(u.global_index(0, LocalIndex(l)).value()) : nan;
        }
        return u;
    }
    /// Expects value_of(vertex) in owned elements, and NaN in ghosts.
    template <class Value>
    void expect(const Vector& u, Value&& value_of) const {
        std::int64_t wrong = 0;
        for (std::int64_t l = 0; l < u.view().extent_int(0); ++l) {
            const double element = u.view()(l);
            const bool owned = u.owned_range(0).contains(LocalIndex(l));
            wrong += owned ? element != value_of(u.global_index(0, LocalIndex(l)).value())
                           : !std::isnan(element);
        }
        EXPECT_EQ(wrong, 0);
    }
    /// The same layout with the labels of all ranks.
    ArrayLayout known() const {
        std::vector<Indices> all = lists;
        std::vector<std::int64_t> ghosts;
        for (Indices& list : all) {
            const std::size_t owned = list.size();
            for (std::size_t i = 0; i < owned; ++i)
                for (const std::int64_t other : neighbours(list[i]))
                    if (std::find(list.begin(), list.end(), other) == list.end())
                        list.push_back(other);
            ghosts.push_back(static_cast<std::int64_t>(list.size() - owned));
        }
        return {ProcessGrid{comm.size()}, {unstructured(std::move(all), {.ghosts = ghosts})}};
    }
    std::vector<ArrayLayout> both() const { return {ghosted.layout, known()}; }

    const Communicator comm = world();
    const HostExec exec{};
    std::vector<Indices> lists; ///< vertices of every rank
    Indices needed;             ///< neighbours of this rank's vertices
    GhostedLayout ghosted;
};

TEST_F(GhostedArrays, HaveGhosts) {
    EXPECT_EQ(ghosted.ghosts > 0, comm.size() > 1 && !own().empty());
    const Vector u = make(ghosted.layout);
    EXPECT_EQ(u.size(), size);
    EXPECT_EQ(u.view().extent_int(0), ghosted.owned + ghosted.ghosts);
    EXPECT_EQ(static_cast<std::int64_t>(u.owned().extent(0)), ghosted.owned);
}

TEST_F(GhostedArrays, SumsAndNormsCountWhatIsOwned) {
    double sum_of_all = 0, squares = 0;
    for (std::int64_t vertex = 0; vertex < size; ++vertex) {
        sum_of_all += value(vertex);
        squares += value(vertex) * value(vertex);
    }
    for (const ArrayLayout& layout : both()) {
        const Vector u = make_of(layout, value);
        const Vector v = make_of(layout, [](std::int64_t vertex) { return 2 * value(vertex); });
        for (const bool reproducible : {false, true}) {
            const ReductionOptions options{.reproducible = reproducible};
            EXPECT_EQ(sum(exec, comm, u, options), sum_of_all);
            EXPECT_EQ(dot(exec, comm, u, v, options), 2 * squares);
            EXPECT_EQ(norm2(exec, comm, u, options), std::sqrt(squares));
        }
        EXPECT_EQ(sum(exec, comm, u, Cells::owned), sum_of_all);
        EXPECT_EQ(max(exec, comm, u), 70.0);
    }
}

// The array without ghosts has the same cells.
TEST_F(GhostedArrays, GoWithArraysWithoutGhosts) {
    const ArrayLayout plain(ProcessGrid{comm.size()},
                            {unstructured_local(size, comm.rank(), own())});
    const Vector u = make_of(ghosted.layout, value);
    const Vector v = make_of(plain, [](std::int64_t) { return 1.0; });
    double sum_of_all = 0;
    for (std::int64_t vertex = 0; vertex < size; ++vertex) sum_of_all += value(vertex);
    EXPECT_EQ(dot(exec, comm, u, v), sum_of_all);
    copy(exec, v, u);
    expect(u, [](std::int64_t) { return 1.0; });
}

TEST_F(GhostedArrays, AreFilledWhereTheyAreOwned) {
    const Vector u = make_of(ghosted.layout, value);
    fill_random(exec, u, {.seed = 7});
    const Vector all = make(ArrayLayout(ProcessGrid{comm.size()}, {block(size)}));
    RedistributionPlan(comm, u.layout(), all.layout()).execute(exec, u, all);
    EXPECT_GT(min(exec, comm, all), 0.0);
    EXPECT_LT(max(exec, comm, all), 1.0);
    fill(exec, u, 3);
    expect(u, [](std::int64_t) { return 3.0; });
}

TEST_F(GhostedArrays, AreGatheredAndScattered) {
    for (const ArrayLayout& layout : both()) {
        const Vector u = make_of(layout, value);
        const auto all = gather(exec, comm, u, 0);
        if (comm.rank() == 0) {
            ASSERT_EQ(all.extent_int(0), size);
            for (std::int64_t vertex = 0; vertex < size; ++vertex) {
                EXPECT_EQ(all(vertex), value(vertex));
                all(vertex) += 1;
            }
        }
        scatter(exec, comm, all, 0, u);
        expect(u, [](std::int64_t vertex) { return value(vertex) + 1; });
    }
}

// The total number of labels is unknown until they are gathered.
TEST_F(GhostedArrays, AreNotGatheredIfLabelsAreMissing) {
    const ArrayLayout too_few(ProcessGrid{comm.size()},
                              {unstructured_local(size + 1, comm.rank(), own())});
    EXPECT_THROW_ON_ALL_RANKS(
        gather(exec, comm, make(too_few), 0), LayoutError,
        "gather: expected 62 different labels along axis 0 in the lists of all "
        "processes, got 61");
}

// If several processes hold a label, gather() uses the element of the lowest one, and scatter()
// returns it to all. Covers axes with own and with all labels, on a grid of two axes.
TEST(GatherOfOwnLabels, AsksEachProcessOfAnAxisOnce) {
    const Communicator comm = world();
    const HostExec exec;
    const int columns = comm.size() % 2 == 0 ? 2 : 1;
    const ProcessGrid grid{comm.size() / columns, columns};
    const std::int64_t rows = grid.extent(0) + 1; // row p + 1 is on p and p + 1
    const int me = grid.coordinates(comm.rank())[0];
    const ArrayLayout layout(grid, {unstructured_local(rows, me, {me + 1, me}), block(5)});
    const auto u = make_dist_view<std::int64_t**>(exec, "u", comm, layout);
    const LocalRange mine = u.interior_range(1);
    for (int l = 0; l < 2; ++l)
        for (LocalIndex j = mine.begin; j < mine.end; ++j)
            u.view()(l, j.value()) = 1000 * me + 10 * (me + 1 - l) + u.global_index(1, j).value();
    const int root = comm.size() - 1;
    const auto all = gather(exec, comm, u, root);
    if (comm.rank() == root)
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < 5; ++j) {
                EXPECT_EQ(all(i, j), 1000 * std::max<std::int64_t>(i - 1, 0) + 10 * i + j);
                all(i, j) = 10 * i + j;
            }
    scatter(exec, comm, all, root, u);
    for (int l = 0; l < 2; ++l)
        for (LocalIndex j = mine.begin; j < mine.end; ++j)
            EXPECT_EQ(u.view()(l, j.value()), 10 * (me + 1 - l) + u.global_index(1, j).value());
}

TEST_F(GhostedArrays, AreRedistributedToBlocksAndBack) {
    const ArrayLayout blocks(ProcessGrid{comm.size()}, {block(size)});
    for (const ArrayLayout& layout : both()) {
        const Vector u = make_of(layout, value);
        const Vector line = make_of(blocks, [](std::int64_t) { return nan; });
        RedistributionPlan(comm, layout, blocks).execute(exec, u, line);
        expect(line, value);
        const Vector back = make_of(layout, [](std::int64_t) { return -1.0; });
        RedistributionPlan(comm, blocks, layout, {.fill_padding = true}).execute(exec, line, back);
        expect(back, value);
    }
}

TEST_F(GhostedArrays, MoveNothingToTheirOwnLayout) {
    const RedistributionSchedule schedule(known(), known());
    EXPECT_TRUE(schedule.is_identity());
    EXPECT_EQ(schedule.delivered_elements(), size);
}

TEST_F(GhostedArrays, AreSorted) {
    std::vector<double> sorted;
    for (std::int64_t vertex = 0; vertex < size; ++vertex) sorted.push_back(value(vertex));
    std::sort(sorted.begin(), sorted.end());
    for (const ArrayLayout& layout : both()) {
        const Vector u = make_of(layout, value);
        sort(exec, comm, u);
        expect(u, [&](std::int64_t vertex) { return sorted[static_cast<std::size_t>(vertex)]; });
    }
}

TEST_F(GhostedArrays, ElementsAreFoundAtTheirOwners) {
    Indices every(static_cast<std::size_t>(size));
    for (std::int64_t vertex = 0; vertex < size; ++vertex)
        every[static_cast<std::size_t>(vertex)] = vertex;
    for (const ArrayLayout& layout : both()) {
        const Vector u = make_of(layout, value);
        const auto values = get_elements(exec, comm, u, IndexList(every));
        for (std::int64_t vertex = 0; vertex < size; ++vertex)
            EXPECT_EQ(values(vertex), value(vertex));
        for (std::int64_t vertex = 0; vertex < size; ++vertex) values(vertex) = 1;
        accumulate_elements(exec, comm, Sum{}, u, IndexList(every), values);
        expect(u, [&](std::int64_t vertex) { return value(vertex) + comm.size(); });
        put_elements(exec, comm, u, IndexList(every), values);
        expect(u, [](std::int64_t) { return 1.0; });
    }
}

/// The diagonal of the matrix; off the diagonal, -1 at the neighbours of a vertex.
double diagonal(std::int64_t vertex) { return 5 + static_cast<double>(vertex % 4) / 3; }

/// The residual norms and the solution of a serial iteration.
struct Serial {
    std::vector<double> history;
    std::vector<double> x;
};

Serial iterate_serially(double tolerance) {
    using Plain = std::vector<double>;
    const auto at = [](std::int64_t vertex) { return static_cast<std::size_t>(vertex); };
    const auto product = [](const Plain& a, const Plain& b) {
        ReferenceSum sum;
        for (std::size_t i = 0; i < a.size(); ++i) sum.add_product(a[i], b[i]);
        return sum.rounded();
    };
    Serial result{{}, Plain(size, 0.0)};
    Plain r(size), q(size);
    for (std::int64_t vertex = 0; vertex < size; ++vertex) r[at(vertex)] = value(vertex);
    Plain p = r;
    double rr = product(r, r);
    const double target = tolerance * std::sqrt(rr);
    for (;;) {
        result.history.push_back(std::sqrt(rr));
        if (result.history.back() <= target || result.history.size() > 200) return result;
        for (std::int64_t vertex = 0; vertex < size; ++vertex) {
            double sum = diagonal(vertex) * p[at(vertex)];
            for (const std::int64_t other : neighbours(vertex)) sum -= p[at(other)];
            q[at(vertex)] = sum;
        }
        const double alpha = rr / product(p, q);
        for (std::size_t i = 0; i < r.size(); ++i)
            r[i] = distview::impl::multiply_add(-alpha, q[i], r[i]);
        const double before = std::exchange(rr, product(r, r));
        for (std::size_t i = 0; i < r.size(); ++i) {
            result.x[i] = distview::impl::multiply_add(alpha, p[i], result.x[i]);
            p[i] = distview::impl::multiply_add(rr / before, p[i], r[i]);
        }
    }
}

TEST_F(GhostedArrays, SolveASparseSystemAsOneProcessDoes) {
    const Serial serial = iterate_serially(1e-12);
    ASSERT_GT(serial.history.size(), 10U);
    GhostExchangePlan ghosts(comm, ghosted);
    const auto matrix = [&](const HostExec& space, const Vector& from, const Vector& to) {
        ghosts.execute(space, from);
        const auto in = from.view();
        const auto out = to.view();
        for (std::size_t row = 0; row < own().size(); ++row) {
            double sum = diagonal(own()[row]) * in(row);
            for (std::size_t k = 4 * row; k < 4 * row + 4; ++k) sum -= in(ghosted.positions[k]);
            out(row) = sum;
        }
    };
    const Vector b = make_of(ghosted.layout, value);
    for (const bool reproducible : {true, false}) {
        ConjugateGradient<Vector> solver(exec, comm, ghosted.layout,
                                         {.tolerance = 1e-12, .reproducible = reproducible});
        const Vector x = make_of(ghosted.layout, [](std::int64_t) { return 0.0; });
        const auto result = solver.solve(exec, matrix, b, x);
        EXPECT_TRUE(result.converged());
        if (reproducible) {
            EXPECT_EQ(result.history, serial.history);
        }
        for (std::size_t row = 0; row < own().size(); ++row) {
            const double expected = serial.x[static_cast<std::size_t>(own()[row])];
            if (reproducible)
                EXPECT_EQ(x.view()(row), expected);
            else
                EXPECT_NEAR(x.view()(row), expected, 1e-9);
        }
    }
}

} // namespace

} // namespace distview::testing
