// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocation fails on one rank at some point in a collective algorithm.
#include "../comm/out_of_memory.hpp"

#include <distview/algorithms.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Number {
    KOKKOS_FUNCTION double operator()(GlobalIndex i) const {
        return static_cast<double>(i.value());
    }
};
struct Backwards {
    std::int64_t last;
    KOKKOS_FUNCTION double operator()(GlobalIndex i) const {
        return static_cast<double>(last - i.value());
    }
};
struct IsPositive {
    KOKKOS_FUNCTION bool operator()(double value) const { return value > 0; }
};
struct Product2 {
    KOKKOS_FUNCTION double operator()(double a, double b) const { return a * b; }
};
struct Halves {
    KOKKOS_FUNCTION double operator()(double a) const { return a / 2; }
};
struct Neighbours {
    template <class Elements>
    KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t i) const {
        return u(i - 1) + u(i + 1);
    }
};
template <class View>
struct AddUp {
    View view;
    KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const { sum += view(i); }
};
template <class View>
struct Laplace {
    KOKKOS_FUNCTION double operator()(const View& u, std::int64_t i) const {
        return 3 * u(i) - u(i - 1) - u(i + 1);
    }
};

/// Objects made before allocations fail belong to no collective call: programs must handle such failures themselves.
class OutOfMemory : public ::testing::Test {
protected:
    const Communicator world{MPI_COMM_WORLD};
    const int n = world.size();
    const int rank = world.rank();
    const Exec exec{};

    /// Three cells on each process, except the last, which has none.
    ArrayLayout blocks() const {
        std::vector<std::int64_t> bounds{0};
        for (int p = 1; p <= n; ++p) bounds.push_back(3 * std::min(p, n - 1));
        return {ProcessGrid{n}, {block_bounds(bounds)}};
    }
    ArrayLayout in_turn() const { return {ProcessGrid{n}, {cyclic(3 * n)}}; }
    /// The labels of in_turn() on one process; layouts know only these, or those of all processes.
    std::vector<std::int64_t> labels(int process) const {
        return {process, process + n, process + 2 * n};
    }
    ArrayLayout lists() const {
        std::vector<std::vector<std::int64_t>> all;
        for (int p = 0; p < n; ++p) all.push_back(labels(p));
        return {ProcessGrid{n}, {unstructured(all)}};
    }
    ArrayLayout own_list() const {
        return {ProcessGrid{n}, {unstructured_local(3 * n, rank, labels(rank))}};
    }

    auto vector(const ArrayLayout& layout) const {
        return make_dist_view<double*>(exec, "u", world, layout);
    }
    auto numbers(const ArrayLayout& layout) const {
        const auto u = vector(layout);
        fill_with(exec, u, Number());
        return u;
    }
    /// Whether every element equals expected(its global index).
    template <class View, class Expected>
    static bool is(const View& u, const Expected& expected) {
        for (LocalIndex l = u.interior_range(0).begin; l < u.interior_range(0).end; ++l)
            if (!(std::abs(u.view()(l.value()) -
                           expected(static_cast<double>(u.global_index(0, l).value()))) < 1e-9))
                return false;
        return true;
    }
    static double itself(double g) { return g; }
};

TEST_F(OutOfMemory, InReductions) {
    const auto u = numbers(blocks());
    const auto last = static_cast<double>(u.size() - 1);
    const double total = last * (last + 1) / 2;
    const double squares = last * (last + 1) * (2 * last + 1) / 6;
    const ReductionOptions exact{.reproducible = true};
    const AddUp<decltype(u.view())> add_up{u.view()};
    check_out_of_memory([&](const Communicator& comm) {
        double sum_of_functor = 0, sum_of_products = 0;
        reduce(exec, comm, u, add_up, sum_of_functor);
        transform_reduce(exec, comm, sum_of_products, Product2(), u, u);
        return sum_of_functor == total && sum_of_products == squares &&
               sum(exec, comm, u) == total && sum(exec, comm, u, exact) == total &&
               dot(exec, comm, u, u) == squares && dot(exec, comm, u, u, exact) == squares &&
               norm1(exec, comm, u) == total && norm1(exec, comm, u, exact) == total &&
               norm2(exec, comm, u) == std::sqrt(squares) && norm_inf(exec, comm, u) == last &&
               min(exec, comm, u) == 0 && max_location(exec, comm, u).index[0] == u.size() - 1 &&
               static_cast<double>(count_if(exec, comm, IsPositive(), u)) == last;
    });
}

TEST_F(OutOfMemory, InHistograms) {
    const auto u = numbers(in_turn());
    const std::vector<double> edges{0, 1, 4};
    check_out_of_memory([&](const Communicator& comm) {
        const std::vector<std::int64_t> equal = histogram(exec, comm, u, 3, 0.0, 3.0 * n);
        return equal[2] == n && histogram(exec, comm, u, edges)[1] == 4;
    });
}

TEST_F(OutOfMemory, InGathers) {
    for (const ArrayLayout& layout : {blocks(), lists(), own_list()}) {
        const auto u = numbers(layout);
        check_out_of_memory([&](const Communicator& comm) {
            const auto all = gather(exec, comm, u, 0);
            bool right = true;
            for (std::size_t i = 0; i < all.size(); ++i)
                right = right && all(i) == static_cast<double>(i);
            scatter(exec, comm, all, 0, u);
            return right && is(u, itself);
        });
    }
}

TEST_F(OutOfMemory, InSorts) {
    for (const ArrayLayout& layout : {blocks(), in_turn()}) {
        const auto u = vector(layout);
        check_out_of_memory([&](const Communicator& comm) {
            fill_with(exec, u, Backwards{u.size() - 1});
            distview::sort(exec, comm, u);
            return is(u, itself);
        });
    }
}

/// With four processes, two lines along the second axis.
class OutOfMemoryAlongAnAxis : public OutOfMemory {
protected:
    const ProcessGrid grid{n == 4 ? 2 : 1, n == 4 ? 2 : n};
    const ArrayLayout layout{grid, {block(4), block(3 * n)}};

    auto matrix(const ArrayLayout& of) const {
        const auto u = make_dist_view<double**>(exec, "u", world, of);
        fill(exec, u, 1.0);
        return u;
    }
};

TEST_F(OutOfMemoryAlongAnAxis, InReductions) {
    const auto u = matrix(layout);
    const auto sums = matrix(reduced_layout(layout, 1, AxisResult::everywhere));
    const auto first = matrix(reduced_layout(layout, 1));
    check_out_of_memory([&](const Communicator& comm) {
        axis_reduce(exec, comm, Sum{}, u, 1, sums);
        axis_reduce(exec, comm, Sum{}, u, 1, first, {.reproducible = true});
        return sums.view()(0, 0) == 3.0 * n &&
               (first.view().size() == 0 || first.view()(0, 0) == 3.0 * n);
    });
}

// After a failed call, a rank or a line must not have kept other data than the others.
TEST_F(OutOfMemoryAlongAnAxis, InAnAxisThatIsKept) {
    constexpr std::size_t many = 20000; // so many that they are sliced
    const Kokkos::View<double*, Kokkos::HostSpace> few("few", 5), values("many", many);
    const auto u = matrix(layout), scanned = matrix(layout);
    const auto sums = matrix(reduced_layout(layout, 1, AxisResult::everywhere));
    const auto set = [&](double value) {
        for (std::size_t i = 0; i < few.size(); ++i) few(i) = value;
        for (std::size_t i = 0; i < many; ++i) values(i) = value;
    };
    for (const int victim : {0, n - 1}) {
        std::optional<GridAxis> row;
        check_victim(victim, [&](const Communicator& comm) {
            if (!row) row.emplace(comm, grid, 1);
            const int places = row->extent();
            set(1);
            row->all_reduce(exec, Sum{}, few);
            row->all_reduce(exec, Sum{}, values);
            bool right = few(4) == places && values(many - 1) == places;
            set(row->coordinate());
            row->reduce(exec, Maximum{}, 0, few);
            row->broadcast(exec, 0, few);
            right = right && few(4) == places - 1;
            axis_reduce(exec, *row, Sum{}, u, sums);
            inclusive_scan(exec, *row, u, scanned);
            return right && sums.view()(0, 0) == 3.0 * n &&
                   scanned.view()(0, 0) == 1.0 + 3.0 * n / places * row->coordinate();
        });
    }
}

TEST_F(OutOfMemory, InScans) {
    for (const ArrayLayout& layout : {blocks(), in_turn(), lists()}) {
        const auto u = numbers(layout), v = vector(layout);
        check_out_of_memory([&](const Communicator& comm) {
            inclusive_scan(exec, comm, u, 0, v);
            const bool right = is(v, [](double g) { return g * (g + 1) / 2; });
            // A start value whose text has 19 characters, too long for a string without an allocation.
            exclusive_scan(exec, comm, u, 0, v, 0.1 + 0.2);
            return right && is(v, [](double g) { return 0.1 + 0.2 + g * (g - 1) / 2; });
        });
    }
}

TEST_F(OutOfMemory, InLocalCopies) {
    const auto u = numbers(in_turn());
    const auto neighbour = static_cast<std::int64_t>(3) * ((rank + 1) % n);
    const GlobalRange range{GlobalIndex(neighbour), GlobalIndex(neighbour + 3)};
    const auto add = [](double number) {
        return [number](const auto& a) {
            for (std::int64_t i = 0; i < a.extent(0); ++i) a.view()(i) += number;
        };
    };
    check_out_of_memory([&](const Communicator& comm) {
        fill_with(exec, u, Number());
        const auto with = [&](const auto& part, double number) {
            with_local_copy(exec, comm, u, Intent::inout, MemoryOrder::row_major, part,
                            add(number));
        };
        with(std::array{range}, 1);
        with(WholeArray{.root = 0}, 2);
        with(WholeArray{}, 4);
        return is(u, [](double g) { return g + 7; });
    });
}

TEST_F(OutOfMemory, InInspectedLoops) {
    const auto u = numbers(in_turn()), v = vector(in_turn());
    const std::vector<IndexRange> inner{{1, 3 * n - 1}};
    check_out_of_memory([&](const Communicator& comm) {
        InspectedLoop loop(exec, comm, u, v, Neighbours(), inner);
        loop.execute(exec);
        return is(v, [&](double g) { return g > 0 && g < 3 * n - 1 ? 2 * g : 0; });
    });
}

TEST_F(OutOfMemory, InConjugateGradients) {
    const ArrayLayout layout(ProcessGrid{n}, {block(3 * n, {.padding = 1, .periodic = true})});
    const auto b = vector(layout), x = vector(layout);
    fill(exec, b, 1.0);
    const auto precondition = [](const Exec& on, const auto& r, const auto& z) {
        transform(on, z, Halves(), r);
    };
    check_out_of_memory([&](const Communicator& comm) {
        fill(exec, x, 0.0);
        PaddingExchangePlan plan(comm, layout);
        using Solution = std::remove_const_t<decltype(x)>;
        ConjugateGradient<Solution> solver(exec, comm, layout, {.max_iterations = 3});
        const Laplace<Solution::view_type> laplace{};
        solver.solve(exec, StencilOperator{plan, laplace}, b, x);
        fill(exec, x, 0.0);
        const auto result = solver.solve(exec, StencilOperator{plan, laplace}, precondition, b, x);
        return result.stop == ConjugateGradientStop::converged && is(x, [](double) { return 1.0; });
    });
}

} // namespace

} // namespace distview::testing
