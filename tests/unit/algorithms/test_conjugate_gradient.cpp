// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients against a serial iteration whose scalar products are sums of long numbers: reproducible
// histories have its bits, whatever the layout, the ranks and the threads.
#include "exact_reference.hpp"
#include "sections.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Stop = ConjugateGradientStop;

/// The right side, and a diagonal for operators and preconditioners, from global indices.
KOKKOS_FUNCTION double right_side(GlobalIndex i, GlobalIndex j) {
    return static_cast<double>((i.value() * 31 + j.value() * 17) % 23) / 7 - 1;
}
KOKKOS_FUNCTION double diagonal(GlobalIndex i, GlobalIndex j) {
    return 4 + static_cast<double>((i.value() * 5 + j.value() * 3) % 11) / 3;
}

/// (Au)(i, j) from u there and at its neighbours.
template <class T>
KOKKOS_FUNCTION T element(T d, T here, T north, T south, T west, T east) {
    return d * here - north - south - west - east;
}

/// One layout of the test problem with its arrays.
template <class T = double, class Memory = Kokkos::LayoutRight>
struct Problem {
    using Vector = Array<T, 2, Memory>;
    using View = typename Vector::view_type;

    struct Operator {
        View d;
        KOKKOS_FUNCTION T operator()(const View& u, std::int64_t i, std::int64_t j) const {
            return element<T>(d(i, j), u(i, j), u(i - 1, j), u(i + 1, j), u(i, j - 1), u(i, j + 1));
        }
    };
    struct Jacobi {
        View d;
        KOKKOS_FUNCTION T operator()(T r, std::int64_t i, std::int64_t j) const {
            return r / d(i, j);
        }
    };

    explicit Problem(const ArrayLayout& its_layout)
        : layout(its_layout), plan(comm, layout), b(make("b")), x(make("x")), d(make("d")) {
        auto b_host = b.view();
        auto d_host = d.view();
        for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
            b_host(l[0], l[1]) = static_cast<T>(right_side(GlobalIndex(g[0]), GlobalIndex(g[1])));
            d_host(l[0], l[1]) = static_cast<T>(diagonal(GlobalIndex(g[0]), GlobalIndex(g[1])));
        });
    }
    Vector make(const char* name) const {
        return make_dist_view<T**, Memory, Kokkos::HostSpace>(exec, comm, layout, name);
    }
    StencilOperator<Operator> stencil() { return {plan, Operator{d.view()}}; }
    PointPreconditioner<Jacobi> jacobi() const { return {Jacobi{d.view()}}; }

    Exec exec;
    Communicator comm = world();
    ArrayLayout layout;
    PaddingExchangePlan plan;
    Vector b, x, d;
};

struct Serial {
    std::vector<double> history;
    std::vector<double> x;
};

/// The same iteration by one process on plain vectors, m x n with zeros around.
Serial iterate_serially(std::int64_t m, std::int64_t n, bool periodic, bool jacobi,
                        double tolerance) {
    const auto at = [&](std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>(i * n + j);
    };
    const auto value = [&](const std::vector<double>& u, std::int64_t i, std::int64_t j) {
        if (periodic) return u[at((i + m) % m, (j + n) % n)];
        return i < 0 || j < 0 || i == m || j == n ? 0.0 : u[at(i, j)];
    };
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
        ReferenceSum sum;
        for (std::size_t i = 0; i < a.size(); ++i) sum.add_product(a[i], b[i]);
        return sum.rounded();
    };
    const std::size_t size = static_cast<std::size_t>(m * n);
    std::vector<double> b(size), d(size), p, q(size), z(size);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            b[at(i, j)] = right_side(GlobalIndex(i), GlobalIndex(j));
            d[at(i, j)] = diagonal(GlobalIndex(i), GlobalIndex(j));
        }
    Serial result{{}, std::vector<double>(size)};
    std::vector<double>& x = result.x;
    std::vector<double> r = b;
    const auto precondition = [&] {
        for (std::size_t i = 0; i < size; ++i) z[i] = jacobi ? r[i] / d[i] : r[i];
    };
    precondition();
    p = z;
    double rz = dot(r, z);
    const double target = tolerance * std::sqrt(dot(b, b));
    for (;;) {
        result.history.push_back(std::sqrt(dot(r, r)));
        if (result.history.back() <= target || result.history.size() > 200) return result;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                q[at(i, j)] = element(d[at(i, j)], value(p, i, j), value(p, i - 1, j),
                                      value(p, i + 1, j), value(p, i, j - 1), value(p, i, j + 1));
        const double alpha = rz / dot(p, q);
        for (std::size_t i = 0; i < size; ++i)
            r[i] = distview::impl::multiply_add(-alpha, q[i], r[i]);
        precondition();
        const double before = rz;
        rz = dot(r, z);
        const double beta = rz / before;
        for (std::size_t i = 0; i < size; ++i) {
            x[i] = distview::impl::multiply_add(alpha, p[i], x[i]);
            p[i] = distview::impl::multiply_add(beta, p[i], z[i]);
        }
    }
}

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

/// Blocks of any sizes, some of them empty unless the axis is periodic.
AxisSpec random_blocks(Random& random, std::int64_t n, int processes, bool periodic) {
    const BlockOptions options = with_padding(random, periodic);
    if (periodic || random.chance(0.5)) return block(n, options);
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p < processes; ++p) // at least as many as the padding reaches
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

TEST(ConjugateGradient, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    Problem<> problem(rows_over_all(24, 17));
    Problem<> other(rows_over_all(24, 18));
    using Solver = ConjugateGradient<Problem<>::Vector>;
    Solver solver(exec, problem.comm, problem.layout);
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(exec, problem.stencil(), other.b, problem.x), ShapeError,
                              "ConjugateGradient::solve: expected b of process");
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(exec, problem.stencil(), problem.b, other.x), ShapeError,
                              "ConjugateGradient::solve: expected x of process");
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
