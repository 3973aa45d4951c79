// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients, compared with a serial iteration whose scalar products are sums of long
// numbers: reproducible histories have the same bits, for any layout, ranks and threads.
#include "gradient_problem.hpp"

#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Stop = ConjugateGradientStop;

/// A number of 4 bytes with indices of 8 bytes; below, with indices of 4 bytes.
struct WideIndices {
    float operator()(float r, std::int64_t) const { return r; }
};
struct NarrowIndices {
    double operator()(double r, int) const { return r; }
};
static_assert(!distview::impl::ElementOfFunctor<WideIndices>::takes_narrow_indices);
static_assert(distview::impl::ElementOfFunctor<NarrowIndices>::takes_narrow_indices);

template <class Vector>
void expect_elements(const Vector& x, const Serial& serial, std::int64_t n) {
    bool same = true;
    for_each_cell<2>(x.layout(), x.process(), Cells::interior, [&](const auto& l, const auto& g) {
        same = same && x.view()(l[0], l[1]) == serial.x[static_cast<std::size_t>(g[0] * n + g[1])];
    });
    EXPECT_TRUE(same);
}

BlockOptions with_padding(Random& random, bool periodic) {
    return {.padding = {random.integer(1, 3), random.integer(1, 3)},
            .boundary = Widths{random.integer(1, 3), random.integer(1, 3)},
            .periodic = periodic};
}

/// Blocks of random sizes; some may be empty unless the axis is periodic.
AxisSpec random_blocks(Random& random, std::int64_t n, int processes, bool periodic) {
    const BlockOptions options = with_padding(random, periodic);
    if (periodic || random.chance(0.5)) return block(n, options);
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p < processes; ++p) // at least as many cells as the padding is wide
        bounds.push_back(std::min(n - 2 * (processes - p), bounds.back() + random.integer(2, 6)));
    bounds.push_back(n);
    return block_bounds(bounds, options);
}

template <class Memory>
void check_history(Random& random, bool periodic, const Serial& none, const Serial& jacobi,
                   std::int64_t m, std::int64_t n) {
    const std::vector<int> grid = random_process_grid(random, world().size(), 2);
    Problem<double, Memory> problem({ProcessGrid(grid),
                                     {random_blocks(random, m, grid[0], periodic),
                                      random_blocks(random, n, grid[1], periodic)}});
    SCOPED_TRACE(problem.layout.describe());
    const Exec exec;
    ConjugateGradient<typename Problem<double, Memory>::Vector> solver(
        exec, problem.comm, problem.layout,
        {.tolerance = 1e-12, .max_iterations = 200, .reproducible = true});
    const auto result = solver.solve(exec, problem.stencil(), problem.b, problem.x);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.history, none.history);
    EXPECT_EQ(result.iterations, static_cast<int>(none.history.size()) - 1);
    EXPECT_EQ(result.residual, none.history.back());
    expect_elements(problem.x, none, n);

    fill(exec, problem.x, 0);
    const auto pointwise =
        solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x);
    EXPECT_EQ(pointwise.history, jacobi.history);
    expect_elements(problem.x, jacobi, n);
}

} // namespace

TEST(ConjugateGradient, history_is_that_of_a_serial_iteration) {
    constexpr std::int64_t m = 26;
    constexpr std::int64_t n = 29;
    for (const bool periodic : {false, true}) {
        const Serial none = iterate_serially(m, n, periodic, false, 1e-12);
        const Serial jacobi = iterate_serially(m, n, periodic, true, 1e-12);
        ASSERT_GT(none.history.size(), 20U);
        for_each_case(3, [&](Random& random, std::uint64_t) {
            check_history<Kokkos::LayoutRight>(random, periodic, none, jacobi, m, n);
            check_history<Kokkos::LayoutLeft>(random, periodic, none, jacobi, m, n);
        });
    }
}

namespace {

/// Cells distributed cyclically, singly or in short blocks, or by lists in any order; some processes may be empty.
AxisSpec random_scattered(Random& random, std::int64_t n, int processes) {
    const std::int64_t kind = random.integer(0, 3);
    if (kind == 0) return cyclic(n);
    if (kind == 1) return block_cyclic(n, random.integer(2, 5));
    std::vector<std::int64_t> labels(static_cast<std::size_t>(n));
    std::iota(labels.begin(), labels.end(), std::int64_t{0});
    random.shuffle(labels);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(processes));
    for (const std::int64_t label : labels)
        lists[static_cast<std::size_t>(random.integer(0, processes))].push_back(label);
    return unstructured(lists, true);
}

/// The operator of the problem for any distribution: it gathers neighbours, as for a sparse matrix.
class GatheredOperator {
public:
    using Vector = Problem<>::Vector;

    GatheredOperator(const Problem<>& problem, const Position<2>& extents, bool periodic)
        : m_d(problem.d.view()),
          m_plan(problem.comm, problem.layout, neighbours(problem.layout, extents, periodic)),
          m_values("values", static_cast<std::size_t>(m_plan.size())) {}

    void operator()(const Exec& exec, const Vector& p, const Vector& q) {
        m_plan.execute(exec, p, m_values);
        std::size_t next = 0;
        for_each_cell<2>(p.layout(), p.process(), Cells::interior, [&](const auto& l, const auto&) {
            double values[4];
            for (double& value : values) {
                value = m_is_inside[next] ? m_values(next) : 0;
                ++next;
            }
            q.view()(l[0], l[1]) = element(m_d(l[0], l[1]), p.view()(l[0], l[1]), values[0],
                                           values[1], values[2], values[3]);
        });
    }

private:
    /// Four neighbours for each cell of this rank. Beyond a wall, the cell itself stands in; its value is not used.
    IndexList neighbours(const ArrayLayout& layout, const Position<2>& extents, bool periodic) {
        constexpr std::int64_t steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        IndexList list(2);
        for_each_cell<2>(layout, world().rank(), Cells::interior, [&](const auto&, const auto& g) {
            for (const auto& step : steps) {
                std::vector<std::int64_t> index(2);
                bool inside = true;
                for (std::size_t d = 0; d < 2; ++d) {
                    index[d] = g[d] + step[d];
                    if (periodic) index[d] = (index[d] + extents[d]) % extents[d];
                    inside = inside && index[d] >= 0 && index[d] < extents[d];
                }
                m_is_inside.push_back(inside);
                list.add_element(inside ? index : std::vector<std::int64_t>{g[0], g[1]});
            }
        });
        return list;
    }

    Problem<>::View m_d;
    std::vector<bool> m_is_inside;
    GatherPlan m_plan;
    Kokkos::View<double*, Kokkos::HostSpace> m_values;
};

} // namespace

TEST(ConjugateGradient, history_of_scattered_cells_is_that_of_a_serial_iteration) {
    constexpr std::int64_t m = 22;
    constexpr std::int64_t n = 25;
    const Exec exec;
    for (const bool periodic : {false, true}) {
        const Serial none = iterate_serially(m, n, periodic, false, 1e-12);
        const Serial jacobi = iterate_serially(m, n, periodic, true, 1e-12);
        for_each_case(3, [&](Random& random, std::uint64_t) {
            const std::vector<int> grid = random_process_grid(random, world().size(), 2);
            Problem<> problem(
                {ProcessGrid(grid),
                 {random_scattered(random, m, grid[0]), random_scattered(random, n, grid[1])}});
            SCOPED_TRACE(problem.layout.describe());
            GatheredOperator gathered(problem, {m, n}, periodic);
            const auto op = [&](const Exec& space, const auto& p, const auto& q) {
                gathered(space, p, q);
            };
            ConjugateGradient<Problem<>::Vector> solver(
                exec, problem.comm, problem.layout,
                {.tolerance = 1e-12, .max_iterations = 200, .reproducible = true});
            const auto plain = solver.solve(exec, op, problem.b, problem.x);
            EXPECT_TRUE(plain.converged());
            EXPECT_EQ(plain.history, none.history);
            expect_elements(problem.x, none, n);
            fill(exec, problem.x, 0);
            const auto pointwise = solver.solve(exec, op, problem.jacobi(), problem.b, problem.x);
            EXPECT_EQ(pointwise.history, jacobi.history);
            expect_elements(problem.x, jacobi, n);
        });
    }
}

namespace {

ArrayLayout rows_over_all(std::int64_t m, std::int64_t n) {
    return {ProcessGrid{world().size(), 1}, {block(m, {.padding = 1}), block(n, {.padding = 1})}};
}

} // namespace

TEST(ConjugateGradient, takes_operators_and_preconditioners_that_are_called) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 17));
    const auto a = problem.stencil();
    const auto op = [&](const Exec& space, const auto& p, const auto& q) {
        problem.plan.execute(space, p);
        const auto from = p.view();
        const auto to = q.view();
        const auto functor = a.functor;
        for_each(
            space, q,
            KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { to(i, j) = functor(from, i, j); });
    };
    const auto m = [&](const Exec& space, const auto& r, const auto& z) {
        const auto from = r.view();
        const auto to = z.view();
        const auto functor = problem.jacobi().functor;
        for_each(
            space, z, KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
                to(i, j) = functor(from(i, j), i, j);
            });
    };
    ConjugateGradient<Problem<>::Vector> solver(exec, problem.comm, problem.layout,
                                                {.reproducible = true});
    const auto fused = solver.solve(exec, a, problem.jacobi(), problem.b, problem.x);
    fill(exec, problem.x, 0);
    const auto called = solver.solve(exec, op, m, problem.b, problem.x);
    EXPECT_EQ(called.history, fused.history);
    fill(exec, problem.x, 0);
    const auto plain = solver.solve(exec, op, problem.b, problem.x);
    EXPECT_TRUE(plain.converged());
    EXPECT_NE(plain.history, fused.history);
}

// Vectors allocated by the solver have the type of x.
TEST(ConjugateGradient, of_slices_is_that_of_arrays_without_gaps) {
    const Exec exec;
    using Vector = Problem<>::Vector;
    const Problem<> problem(rows_over_all(24, 17));
    const std::vector<AxisSlice> slices{{1, -1, 2}, {3, 11}};
    const auto b = slice(problem.b, slices);
    const auto x = slice(problem.x, slices);
    const auto make = [&](const char* name) {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, name, problem.comm, b.layout());
    };
    const Vector whole_b = make("whole_b");
    const Vector whole_x = make("whole_x");
    copy(exec, b, whole_b);
    const auto op = [](const Exec& space, const auto& p, const auto& q) {
        const auto from = p.view();
        const auto to = q.view();
        for_each(
            space, q, KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
                to(i, j) = diagonal(GlobalIndex(i), GlobalIndex(j)) * from(i, j);
            });
    };
    const auto solve = [&](const auto& right_side, const auto& solution) {
        ConjugateGradient<std::remove_cvref_t<decltype(solution)>> solver(
            exec, problem.comm, b.layout(), {.reproducible = true});
        return solver.solve(exec, op, right_side, solution);
    };
    const auto whole = solve(whole_b, whole_x);
    const auto part = solve(b, x);
    EXPECT_TRUE(whole.converged());
    EXPECT_GT(whole.iterations, 3);
    EXPECT_EQ(part.history, whole.history);
    for_each_cell<2>(b.layout(), b.process(), Cells::interior, [&](const auto& l, const auto&) {
        EXPECT_EQ(x.view()(l[0], l[1]), whole_x.view()(l[0], l[1]));
    });
}

TEST(ConjugateGradient, solves_and_goes_on_from_an_x) {
    const Exec exec;
    for (const bool reproducible : {false, true}) {
        Problem<> problem(rows_over_all(31, 20));
        const auto residual = problem.make("residual");
        const auto norm_of_residual = [&] {
            problem.plan.execute(exec, problem.x);
            const auto x = problem.x.view();
            const auto b = problem.b.view();
            const auto r = residual.view();
            const auto a = problem.stencil().functor;
            for_each(
                exec, problem.b,
                KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { r(i, j) = b(i, j) - a(x, i, j); });
            return norm2(exec, problem.comm, residual) / norm2(exec, problem.comm, problem.b);
        };
        const auto solve = [&](double tolerance, int most) {
            ConjugateGradient<Problem<>::Vector> solver(
                exec, problem.comm, problem.layout,
                {.tolerance = tolerance, .max_iterations = most, .reproducible = reproducible});
            return solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x);
        };
        const auto few = solve(1e-11, 5);
        EXPECT_EQ(few.stop, Stop::max_iterations);
        EXPECT_EQ(few.iterations, 5);
        EXPECT_EQ(few.history.size(), 6U);
        EXPECT_NEAR(few.residual, norm_of_residual() * few.right_side, 1e-12);
        const auto rest = solve(1e-11, 100);
        EXPECT_TRUE(rest.converged());
        EXPECT_NEAR(rest.history.front(), few.residual, 1e-12);
        EXPECT_LE(norm_of_residual(), 2e-11);
        EXPECT_GT(few.residual, 1e-6);
        const auto nothing = solve(1e-10, 100);
        EXPECT_EQ(nothing.iterations, 0);
        EXPECT_TRUE(nothing.converged());
    }
}

TEST(ConjugateGradient, goes_on_from_what_a_watch_has_kept) {
    const Exec exec;
    using Vector = Problem<>::Vector;
    using State = ConjugateGradientState<Vector>;
    // This holds with and without exact sums or a preconditioner: the next step uses the same numbers.
    for (const bool reproducible : {false, true}) {
        Problem<> problem(rows_over_all(31, 20));
        ConjugateGradient<Vector> solver(exec, problem.comm, problem.layout,
                                         {.tolerance = 1e-11, .reproducible = reproducible});
        const auto x = problem.make("kept_x"), r = problem.make("kept_r"),
                   p = problem.make("kept_p");
        double rr = 0, rz = 0;
        ConjugateGradientResult result;
        std::vector<int> seen;
        const auto keep = [&](const State& state) {
            seen.push_back(state.result.iterations);
            EXPECT_EQ(state.result.history.size(), seen.size() - 1);
            if (state.result.iterations != 7) return;
            copy(exec, state.x, x);
            copy(exec, state.r, r);
            copy(exec, state.p, p);
            rr = state.rr;
            rz = state.rz;
            result = state.result;
        };
        const auto whole =
            solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x, keep);
        ASSERT_GT(whole.iterations, 9);
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(whole.iterations) + 1);
        const auto solution = problem.make("solution");
        copy(exec, problem.x, solution);

        ConjugateGradient<Vector> another(exec, problem.comm, problem.layout,
                                          {.tolerance = 1e-11, .reproducible = reproducible});
        fill(exec, problem.x, 0);
        const auto go_on = [&](const State& state) {
            if (state.result.iterations != 0) return;
            copy(exec, x, state.x);
            copy(exec, r, state.r);
            copy(exec, p, state.p);
            state.rr = rr;
            state.rz = rz;
            state.result = result;
        };
        const auto rest =
            another.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x, go_on);
        EXPECT_EQ(rest.history, whole.history);
        EXPECT_EQ(rest.iterations, whole.iterations);
        bool same = true;
        for_each_cell<2>(
            problem.layout, world().rank(), Cells::interior, [&](const auto& l, const auto&) {
                same = same && problem.x.view()(l[0], l[1]) == solution.view()(l[0], l[1]);
            });
        EXPECT_TRUE(same);
    }
}

TEST(ConjugateGradient, repeats_itself_without_reproducible) {
    const Exec exec;
    Problem<float> problem(rows_over_all(33, 14));
    ConjugateGradient<Problem<float>::Vector> solver(exec, problem.comm, problem.layout,
                                                     {.tolerance = 1e-5});
    const auto first = solver.solve(exec, problem.stencil(), problem.b, problem.x);
    EXPECT_TRUE(first.converged());
    fill(exec, problem.x, 0);
    EXPECT_EQ(solver.solve(exec, problem.stencil(), problem.b, problem.x).history, first.history);
}

TEST(ConjugateGradient, two_collectives_an_iteration) {
    const Exec exec;
    for (const bool reproducible : {false, true}) {
        Problem<> problem(rows_over_all(24, 17));
        const auto collectives = [&](int iterations) {
            ConjugateGradient<Problem<>::Vector> solver(
                exec, problem.comm, problem.layout,
                {.tolerance = 0, .max_iterations = iterations, .reproducible = reproducible});
            fill(exec, problem.x, 0);
            solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x);
            fill(exec, problem.x, 0);
            MpiCounters counters;
            solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x);
            return counters.stop().collective_calls();
        };
        EXPECT_EQ(collectives(9) - collectives(4), 10);
    }
}

// Passes over memory dominate the cost of an iteration: an update and the sums of its results share one kernel.
TEST(ConjugateGradient, three_kernels_an_iteration) {
    const Exec exec;
    for (const bool reproducible : {false, true}) {
        Problem<> problem(rows_over_all(24, 17));
        const auto stencil = problem.stencil();
        const auto call = [&](const Exec& space, const auto& p, const auto& q) {
            problem.plan.execute(space, p);
            const auto from = p.view();
            const auto to = q.view();
            const auto functor = stencil.functor;
            for_each(
                space, q,
                KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { to(i, j) = functor(from, i, j); });
        };
        // The kernels of an iteration by label, without those of the padding exchange.
        const auto kernels = [&](const auto& op, const auto& preconditioner) {
            const auto of_iterations = [&](int iterations) {
                ConjugateGradient<Problem<>::Vector> solver(
                    exec, problem.comm, problem.layout,
                    {.tolerance = 0, .max_iterations = iterations, .reproducible = reproducible});
                fill(exec, problem.x, 0);
                KokkosEvents events;
                solver.solve(exec, op, preconditioner, problem.b, problem.x);
                events.stop();
                std::map<std::string, int> counts;
                for (const std::string& label : labels(events.kernels()))
                    if (!label.starts_with("distview::PaddingExchange")) ++counts[label];
                return counts;
            };
            std::map<std::string, int> four = of_iterations(4);
            std::map<std::string, int> five = of_iterations(5);
            for (auto& [label, count] : five) count -= four[label];
            std::erase_if(five, [](const auto& each) { return each.second == 0; });
            return five;
        };
        using Counts = std::map<std::string, int>;
        const std::string of = "distview::ConjugateGradient::";
        const Counts fused{{of + "apply", 1}, {of + "update", 1}, {of + "direction", 1}};
        EXPECT_EQ(kernels(stencil, problem.jacobi()), fused);
        EXPECT_EQ(kernels(stencil, NoPreconditioner{}), fused);
        const Counts called{{"distview::for_each", 1},
                            {of + "apply", 1},
                            {of + "update", 1},
                            {of + "direction", 1}};
        EXPECT_EQ(kernels(call, problem.jacobi()), called);
        // r * z is known only after the preconditioner has run.
        const auto keep = [](const Exec& space, const auto& r, const auto& z) {
            copy(space, r, z);
        };
        const Counts apart{
            {"distview::copy", 1}, {of + "apply", 1}, {of + "update", 2}, {of + "direction", 1}};
        EXPECT_EQ(kernels(stencil, keep), apart);
    }
}

TEST(ConjugateGradient, is_on_the_threads_of_the_given_instance) {
    const auto solve = [](const Exec& exec) {
        Problem<> problem(rows_over_all(2 * world().size(), 140'000), exec); // rows of 1.1 MB
        const auto same = [](const Exec& space, const auto& p, const auto& q) {
            copy(space, p, q);
        };
        for (const bool reproducible : {false, true}) {
            ConjugateGradient<Problem<>::Vector> solver(
                exec, problem.comm, problem.layout,
                {.tolerance = 0, .max_iterations = 1, .reproducible = reproducible});
            solver.solve(exec, problem.stencil(), problem.jacobi(), problem.b, problem.x);
            solver.solve(exec, same, same, problem.b, problem.x);
        }
    };
    expect_threads_of_given_instance<Exec>(
        {"distview::ConjugateGradient::", "distview::copy", "distview::PaddingExchangePlan::"},
        solve);
}

TEST(ConjugateGradient, of_nothing) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 0));
    ConjugateGradient<Problem<>::Vector> solver(exec, problem.comm, problem.layout,
                                                {.reproducible = true});
    const auto result = solver.solve(exec, problem.stencil(), problem.b, problem.x);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.history, std::vector<double>{0.0});
}

TEST(ConjugateGradient, breaks_down_on_all_ranks_alike) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 17));
    const auto d = problem.d.view();
    const auto solve = [&](const auto& functor) {
        ConjugateGradient<Problem<>::Vector> solver(exec, problem.comm, problem.layout);
        fill(exec, problem.x, 0);
        return solver.solve(exec, StencilOperator{problem.plan, functor}, problem.b, problem.x);
    };
    using View = Problem<>::View;
    const auto negative =
        solve(KOKKOS_LAMBDA(const View& u, int i, int j) { return -d(i, j) * u(i, j); });
    EXPECT_EQ(negative.stop, Stop::breakdown);
    EXPECT_EQ(negative.iterations, 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto wrong = solve(KOKKOS_LAMBDA(const View& u, int i, int j) { return nan * u(i, j); });
    EXPECT_EQ(wrong.stop, Stop::breakdown);
}

// Norms whose squares are out of range: an infinite norm is not within the tolerance of another one, nor zero of zero.
TEST(ConjugateGradient, breaks_down_where_squares_leave_the_range_of_double) {
    const Exec exec;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Problem<> problem(rows_over_all(24, 17));
    for (const bool reproducible : {false, true}) {
        ConjugateGradient<Problem<>::Vector> solver(exec, problem.comm, problem.layout,
                                                    {.reproducible = reproducible});
        const auto expect_breakdown = [&](const auto& preconditioner) {
            fill(exec, problem.x, 0);
            const auto result =
                solver.solve(exec, problem.stencil(), preconditioner, problem.b, problem.x);
            EXPECT_EQ(result.stop, Stop::breakdown);
            EXPECT_EQ(result.iterations, 0);
            EXPECT_EQ(norm_inf(exec, problem.comm, problem.x), 0);
        };
        for (const double value : {1e200, 1e155, 1e-145, 1e-162, 1e-200, 5e-324}) {
            SCOPED_TRACE(value);
            fill(exec, problem.b, value);
            expect_breakdown(NoPreconditioner{});
            expect_breakdown(problem.jacobi());
        }
        for (const double value : {1e200, 1e-200, infinite}) {
            SCOPED_TRACE(value);
            fill(exec, problem.b, value == infinite ? 1 : 0);
            for_each_cell<2>(problem.layout, world().rank(), Cells::interior,
                             [&](const auto& l, const auto& g) {
                                 if (g[0] == 20 && g[1] == 3) problem.b.view()(l[0], l[1]) = value;
                             });
            expect_breakdown(NoPreconditioner{});
            expect_breakdown(problem.jacobi());
        }
        for (const double value : {1e148, 1e-130}) {
            SCOPED_TRACE(value);
            fill(exec, problem.b, value);
            fill(exec, problem.x, 0);
            const auto result = solver.solve(exec, problem.stencil(), problem.b, problem.x);
            EXPECT_TRUE(result.converged());
            EXPECT_GT(result.iterations, 5);
            EXPECT_GT(norm_inf(exec, problem.comm, problem.x), value / 30);
        }
        // A right-hand side of zero is valid.
        fill(exec, problem.b, 0);
        fill(exec, problem.x, 0);
        const auto result = solver.solve(exec, problem.stencil(), problem.b, problem.x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations, 0);
    }
}

// p * A p is infinite, the norms are finite: with a step length of zero, the iteration would repeat until the last one.
TEST(ConjugateGradient, breaks_down_where_an_operator_is_too_large) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 17));
    fill(exec, problem.b, 1e150);
    ConjugateGradient<Problem<>::Vector> solver(exec, problem.comm, problem.layout);
    using View = Problem<>::View;
    const auto large = KOKKOS_LAMBDA(const View& u, int i, int j) { return 1e20 * u(i, j); };
    const auto result =
        solver.solve(exec, StencilOperator{problem.plan, large}, problem.b, problem.x);
    EXPECT_EQ(result.stop, Stop::breakdown);
    EXPECT_EQ(result.iterations, 0);
}

// The solving instance may differ from the one that has written the zeros.
TEST(ConjugateGradient, is_made_when_its_zeros_are_written) {
    const Problem<> problem(rows_over_all(24, 17));
    KokkosEvents events;
    const ConjugateGradient<Problem<>::Vector> solver(problem.exec, problem.comm, problem.layout);
    events.stop();
    ASSERT_FALSE(events.fences().empty());
    EXPECT_EQ(labels(events.fences()).back(),
              "distview::ConjugateGradient: any instance may solve");
}

TEST(ConjugateGradient, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 17));
    Problem<> other(rows_over_all(24, 18));
    using Solver = ConjugateGradient<Problem<>::Vector>;
    Solver solver(exec, problem.comm, problem.layout);
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(exec, problem.stencil(), other.b, problem.x), ShapeError,
                              "ConjugateGradient::solve: expected b as the section of process");
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(exec, problem.stencil(), problem.b, other.x), ShapeError,
                              "ConjugateGradient::solve: expected x as the section of process");
    if (problem.comm.size() > 1) {
        const bool last = problem.comm.rank() == problem.comm.size() - 1;
        EXPECT_THROW_ON_ALL_RANKS(
            Solver(exec, problem.comm, problem.layout, {.reproducible = last}), UsageError,
            "reproducible");
        EXPECT_THROW_ON_ALL_RANKS(
            Solver(exec, problem.comm, problem.layout, {.max_iterations = last ? 7 : 8}),
            UsageError, "max_iterations");
    }
    EXPECT_TRUE(solver.solve(exec, problem.stencil(), problem.b, problem.x).converged());
}

} // namespace distview::testing
