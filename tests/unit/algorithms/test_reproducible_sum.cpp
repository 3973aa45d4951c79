// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducible sums, scalar products and norms, compared with long numbers: the exact result
// rounded once, for any layout, ranks and threads. DISTVIEW_CASES sets the number of cases; the
// campaign with label `full` sets it.
#include "adversarial_numbers.hpp"
#include "exact_reference.hpp"
#include "sections.hpp"

#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

constexpr ReductionOptions exactly{.reproducible = true};

/// An element of an array as a function of its global index; `which` distinguishes arrays.
struct Element {
    Numbers kind;
    std::uint64_t seed;

    template <class T, std::size_t Rank>
    T at(const std::array<std::int64_t, Rank>& g, std::uint64_t which = 0) const {
        std::uint64_t index = 0;
        for (const std::int64_t i : g) index = index * 1009 + static_cast<std::uint64_t>(i + 500);
        if (Rank == 1) index -= 500;
        const auto number = [&](std::uint64_t part) {
            return number_at(kind, seed + 2 * which + part, index);
        };
        if constexpr (requires(T z) { z.real(); }) {
            using Part = typename T::value_type;
            return T(static_cast<Part>(number(0)), static_cast<Part>(number(1)));
        } else {
            return static_cast<T>(number(0));
        }
    }
};

/// The expected results of reproducible reductions of an array x, and of x and y.
template <class T>
struct Expected {
    ReferenceSum sums[2], products[2], magnitudes, squares;

    void add(const T& x, const T& y) {
        if constexpr (requires { x.real(); }) {
            const double re = x.real(), im = x.imag(), y_re = y.real(), y_im = y.imag();
            sums[0].add(re);
            sums[1].add(im);
            products[0].add_product(re, y_re);
            products[0].add_product(im, y_im);
            products[1].add_product(re, y_im);
            products[1].add_product(-im, y_re);
            magnitudes.add(std::hypot(re, im));
            squares.add_product(re, re);
            squares.add_product(im, im);
        } else {
            sums[0].add(x);
            products[0].add_product(x, y);
            magnitudes.add(std::abs(static_cast<double>(x)));
            squares.add_product(x, x);
        }
    }
};

template <class Number>
void expect_parts(const Number& got, const ReferenceSum (&expected)[2], const char* what) {
    if constexpr (requires { got.real(); }) {
        EXPECT_PRED2(same_number, got.real(), expected[0].rounded()) << what;
        EXPECT_PRED2(same_number, got.imag(), expected[1].rounded()) << what;
    } else {
        EXPECT_PRED2(same_number, got, expected[0].rounded()) << what;
    }
}

template <class T, int Rank, class Memory = Kokkos::LayoutRight>
void check_array(const ArrayLayout& layout, const Element& element, Cells cells,
                 const Expected<T>& expected) {
    SCOPED_TRACE(layout.describe());
    SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(element.kind)) + ", seed " +
                 std::to_string(element.seed));
    const Exec exec;
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, Rank, Memory>(layout);
    const auto y = make_section<T, Rank>(layout);
    // Elements outside the cells must not count.
    const T nan(std::numeric_limits<float>::quiet_NaN());
    set_cells(exec, x, cells, [&](const auto& g) { return element.at<T>(g); }, nan);
    set_cells(exec, y, cells, [&](const auto& g) { return element.at<T>(g, 1); }, nan);
    const ReductionOptions options{.cells = cells, .reproducible = true};
    expect_parts(sum(exec, comm, x, options), expected.sums, "sum");
    expect_parts(dot(exec, comm, x, y, options), expected.products, "dot");
    EXPECT_PRED2(same_number, norm1(exec, comm, x, options), expected.magnitudes.rounded());
    EXPECT_PRED2(same_number, norm2(exec, comm, x, options), expected.squares.rounded_root());
    EXPECT_PRED2(same_number, norm_inf(exec, comm, x, options), norm_inf(exec, comm, x, cells));
}

/// Computed by one rank, because ranks may be more than cores.
template <class T, int Rank>
Expected<T> expected_of(const ArrayLayout& layout, const Element& element, Cells cells) {
    Expected<T> expected;
    static_assert(std::is_trivially_copyable_v<Expected<T>>);
    if (world().rank() == 0)
        for_each_cell_of_all<Rank>(layout, cells, [&](int, const auto& g) {
            expected.add(element.at<T>(g), element.at<T>(g, 1));
        });
    MPI_Bcast(&expected, sizeof expected, MPI_BYTE, 0, MPI_COMM_WORLD);
    return expected;
}

template <class T, int Rank, class Memory = Kokkos::LayoutRight>
void check_random(Random& random, std::int64_t limit) {
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    const Element element{random.pick(all_numbers()), random.bits()};
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    check_array<T, Rank, Memory>(layout, element, cells,
                                 expected_of<T, Rank>(layout, element, cells));
}

/// Distributed to the ranks cyclically, in descending order.
AxisSpec dealt_out(std::int64_t n) {
    const int ranks = world().size();
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(ranks));
    for (std::int64_t i = 0; i < n; ++i)
        lists[static_cast<std::size_t>((ranks - 1 + i / 3) % ranks)].push_back(i);
    return unstructured(lists, true);
}

/// Half of the cells on the first rank, half on the last.
AxisSpec at_the_ends(std::int64_t n) {
    const int ranks = world().size();
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p <= ranks; ++p) bounds.push_back(p == ranks ? n : n / 2);
    return block_bounds(bounds);
}

std::vector<AxisSpec> seven_axes(std::int64_t n) {
    return {block(n),         block(n, {.padding = 2, .periodic = true}),
            regular_block(n), at_the_ends(n),
            cyclic(n),        block_cyclic(n, 7),
            dealt_out(n)};
}

} // namespace

TEST(Reproducible, any_layout_and_numbers) {
    for_each_case(campaign_cases(4), [](Random& random, std::uint64_t) {
        check_random<double, 1>(random, 300);
        check_random<double, 2>(random, 20);
        check_random<double, 2, Kokkos::LayoutLeft>(random, 20);
        check_random<double, 3, Kokkos::LayoutStride>(random, 8);
        check_random<double, 0>(random, 1);
    });
}
TEST(Reproducible, float_and_complex) {
    for_each_case(campaign_cases(3), [](Random& random, std::uint64_t) {
        check_random<float, 2>(random, 20);
        check_random<std::complex<double>, 1>(random, 200);
        check_random<Kokkos::complex<double>, 2>(random, 15);
        check_random<Kokkos::complex<float>, 1>(random, 200);
    });
}

TEST(Reproducible, seven_layouts_of_all_numbers) {
    constexpr std::int64_t n = 173;
    std::uint64_t seed = campaign_seed();
    for (const Numbers kind : all_numbers()) {
        const Element element{kind, ++seed};
        const ProcessGrid grid{world().size()};
        const auto expected = expected_of<double, 1>({grid, {block(n)}}, element, Cells::interior);
        for (const AxisSpec& axis : seven_axes(n))
            check_array<double, 1>({grid, {axis}}, element, Cells::interior, expected);
    }
}

TEST(Reproducible, rows_long_enough_to_be_added_where_they_are) {
    for_each_case(campaign_cases(2), [](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(2000, 6000) * world().size();
        const Element element{random.pick(all_numbers()), random.bits()};
        const ArrayLayout layout(ProcessGrid{world().size()}, {block(n, {.padding = 1})});
        check_array<double, 1>(layout, element, Cells::interior,
                               expected_of<double, 1>(layout, element, Cells::interior));
        const std::int64_t rows = random.integer(1, 4);
        const ArrayLayout plane(ProcessGrid{1, world().size()}, {block(rows), block(n / rows)});
        const auto expected = expected_of<double, 2>(plane, element, Cells::interior);
        check_array<double, 2>(plane, element, Cells::interior, expected);
        check_array<double, 2, Kokkos::LayoutStride>(plane, element, Cells::interior, expected);
    });
}

// The code for devices, on host threads.
TEST(Reproducible, cells_of_a_device) {
    for_each_case(campaign_cases(10), [](Random& random, std::uint64_t) {
        const Exec exec;
        const ArrayLayout layout = random_layout(random, 2, 20);
        const Element element{random.pick(all_numbers()), random.bits()};
        const auto x = make_section<double, 2, Kokkos::LayoutLeft>(layout);
        set_cells(
            exec, x, Cells::interior, [&](const auto& g) { return element.at<double>(g); }, 77.0);
        ReferenceSum sums;
        ReferenceSum squares;
        for_each_cell<2>(layout, x.process(), Cells::interior, [&](const auto&, const auto& g) {
            sums.add(element.at<double>(g));
            squares.add_product(element.at<double>(g), element.at<double>(g));
        });
        using View = Array<double, 2, Kokkos::LayoutLeft>::view_type;
        const distview::impl::Caller caller("cells_of_a_device");
        const auto check = [&](const auto& terms, const ReferenceSum& expected) {
            using Terms = std::remove_cvref_t<decltype(terms)>;
            distview::impl::with_cell_walk<Terms, true>(
                "cells", x, distview::impl::cell_box(x, Cells::interior), [&](const auto& walk) {
                    if (walk.count() == 0) return;
                    const auto total = distview::impl::exact_cells(caller, exec, walk, terms);
                    EXPECT_PRED2(same_number, total.sums[0].rounded(), expected.rounded());
                });
        };
        check(distview::impl::SumTerms<View>(x.view()), sums);
        check(distview::impl::SquareTerms<View>(x.view()), squares);
    });
}

TEST(Reproducible, of_no_cells_is_zero) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 2>({ProcessGrid{comm.size(), 1}, {block(0), block(5)}});
    EXPECT_PRED2(same_number, sum(exec, comm, x, exactly), 0.0);
    EXPECT_PRED2(same_number, dot(exec, comm, x, x, exactly), 0.0);
    EXPECT_PRED2(same_number, norm2(exec, comm, x, exactly), 0.0);
}

TEST(Reproducible, integers_are_as_without) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<std::int64_t, 1>({ProcessGrid{comm.size()}, {block(40)}});
    set_section(exec, x, [](const auto&) { return std::int64_t{1} << 62; });
    EXPECT_EQ(sum(exec, comm, x, exactly), sum(exec, comm, x));
    EXPECT_EQ(dot(exec, comm, x, x, exactly), dot(exec, comm, x, x));
    // The square root of 40 * 2^124 is no double.
    EXPECT_EQ(norm2(exec, comm, x, exactly), std::ldexp(std::sqrt(40.0), 62));
    EXPECT_EQ(norm1(exec, comm, x, exactly), 40 * 0x1p62);
}

// An ordinary sum loses small numbers added to a large one.
TEST(Reproducible, differs_from_an_ordinary_sum) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(40)}});
    set_cells(
        exec, x, Cells::interior,
        [](const auto& g) { return g[0] == 0    ? 1e100
                                   : g[0] == 39 ? -1e100
                                                : 1.0; }, 0.0);
    EXPECT_EQ(sum(exec, comm, x, exactly), 38.0);
    EXPECT_NE(sum(exec, comm, x), 38.0);
    EXPECT_EQ(sum(exec, comm, x, {}), sum(exec, comm, x));
    EXPECT_EQ(sum(exec, comm, x, ReductionOptions{}), sum(exec, comm, x));
}

TEST(Reproducible, takes_one_collective_call_and_one_kernel) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(50)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    MpiCounters counters;
    const double total = sum(exec, comm, x, exactly);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(total, 50.0);
    EXPECT_EQ(traffic.collective_calls(), 1);
    EXPECT_EQ(traffic.sent_total().messages, 0);
}

TEST(Reproducible, is_on_the_threads_of_the_given_instance) {
    expect_threads_of_given_instance<Exec>({"distview::"}, [](const Exec& exec) {
        const Communicator comm = world();
        const auto x =
            make_section<double, 1>({ProcessGrid{comm.size()}, {block(50 * comm.size())}});
        set_section(exec, x, [](const auto&) { return 1.0; });
        sum(exec, comm, x, exactly);
        dot(exec, comm, x, x, exactly);
        norm1(exec, comm, x, exactly);
        norm2(exec, comm, x, exactly);
        norm_inf(exec, comm, x, exactly);
    });
}

TEST(Reproducible, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const ProcessGrid grid{comm.size()};
    const auto x = make_section<double, 1>({grid, {block(8)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    if (comm.size() > 1) {
        const bool last = comm.rank() == comm.size() - 1;
        EXPECT_THROW_ON_ALL_RANKS(sum(exec, comm, x, {.reproducible = last}), UsageError,
                                  "sum(reproducible)");
        EXPECT_THROW_ON_ALL_RANKS(norm2(exec, comm, x, {.reproducible = last}), UsageError,
                                  "norm2(reproducible)");
        EXPECT_THROW_ON_ALL_RANKS(
            sum(exec, comm, x,
                {.cells = last ? Cells::owned : Cells::interior, .reproducible = true}),
            UsageError, "sum(reproducible): expected the same arguments on all ranks");
        const auto small = make_section<double, 1>({ProcessGrid{1}, {block(8)}});
        EXPECT_THROW_ON_ALL_RANKS(sum(exec, comm, small, exactly), UsageError,
                                  "sum(reproducible): expected the section of process 0 of");
    }
    const auto longer = make_section<double, 1>({grid, {block(9)}});
    EXPECT_THROW_ON_ALL_RANKS(dot(exec, comm, x, longer, exactly), ShapeError,
                              "dot: expected arrays with the same interior cells");
    EXPECT_EQ(sum(exec, comm, x, exactly), 8.0) << "usable after errors";
}

} // namespace distview::testing
