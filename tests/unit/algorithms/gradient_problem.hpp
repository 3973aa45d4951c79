// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exact_reference.hpp"
#include "sections.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// The test problem for conjugate gradients, and the same iteration on one process.

namespace distview::testing {

/// The right-hand side, and a diagonal for operators and preconditioners, as functions of global indices.
KOKKOS_INLINE_FUNCTION double right_side(GlobalIndex i, GlobalIndex j) {
    return static_cast<double>((i.value() * 31 + j.value() * 17) % 23) / 7 - 1;
}
KOKKOS_INLINE_FUNCTION double diagonal(GlobalIndex i, GlobalIndex j) {
    return 4 + static_cast<double>((i.value() * 5 + j.value() * 3) % 11) / 3;
}

/// (Au)(i, j) from the values of u there and at its neighbours.
template <class T>
KOKKOS_INLINE_FUNCTION T element(T d, T here, T north, T south, T west, T east) {
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

    explicit Problem(const ArrayLayout& its_layout, const Exec& its_exec = {})
        : exec(its_exec), layout(its_layout), plan(comm, layout), b(make("b")), x(make("x")),
          d(make("d")) {
        auto b_host = b.view();
        auto d_host = d.view();
        for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
            b_host(l[0], l[1]) = static_cast<T>(right_side(GlobalIndex(g[0]), GlobalIndex(g[1])));
            d_host(l[0], l[1]) = static_cast<T>(diagonal(GlobalIndex(g[0]), GlobalIndex(g[1])));
        });
    }
    Vector make(const char* name) const {
        return make_dist_view<T**, Memory, Kokkos::HostSpace>(exec, name, comm, layout);
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

/// The reference: the same iteration on one process, on plain vectors of m x n cells surrounded by zeros.
inline Serial iterate_serially(std::int64_t m, std::int64_t n, bool periodic, bool jacobi,
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

} // namespace distview::testing
