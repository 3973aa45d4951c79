// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along an axis, compared with loops over global indices.
#include "adversarial_numbers.hpp"
#include "axis_fixture.hpp"
#include "exact_reference.hpp"

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace distview::testing {

namespace {

struct SubtractMean {
    KOKKOS_FUNCTION double operator()(double a, double sum) const { return a - sum / 30; }
};
struct ExclusiveOr {
    KOKKOS_FUNCTION std::int32_t operator()(std::int32_t a, std::int32_t b) const { return a ^ b; }
};

/// The reference: combines the elements of a line one by one, in type `Wide`.
template <class T, class Wide, class Op, std::size_t Rank>
Wide expected(const ArrayLayout& layout, std::size_t axis, std::array<std::int64_t, Rank> g,
              Wide start, const Op& op) {
    Wide value = start;
    for (const auto& list : indices_of(layout.axis(static_cast<int>(axis))))
        for (const std::int64_t index : list) {
            g[axis] = index;
            value = op(value, static_cast<Wide>(as_element<T>(small_value(g))));
        }
    return value;
}

/// A layout for the results, with different padding from the array's.
ArrayLayout random_target(Random& random, const ArrayLayout& layout, int axis) {
    const ArrayLayout reduced = reduced_layout(
        layout, axis, random.chance(0.5) ? AxisResult::first : AxisResult::everywhere);
    std::vector<AxisSpec> axes;
    for (int d = 0; d < reduced.rank(); ++d) {
        axes.push_back(axis_spec(reduced.axis(d)));
        if (auto* block = std::get_if<BlockSpec>(&axes.back().value)) {
            block->paddings.clear();
            block->options.padding = {random.integer(0, 3), random.integer(0, 3)};
            block->options.boundary = Widths{random.integer(0, 3), random.integer(0, 3)};
        }
    }
    return {layout.grid(), axes};
}

template <class T, class Result, class Wide, int Rank, class Layout, class ResultLayout, class Op>
void check(Random& random, std::int64_t limit, const Op& op, Wide start) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    const int axis = static_cast<int>(random.integer(0, Rank));
    const ArrayLayout reduced = random_target(random, layout, axis);
    SCOPED_TRACE(layout.describe() + "\n" + reduced.describe());
    const Communicator comm = world();
    const auto u = make_section<T, Rank, Layout>(layout);
    const auto s = make_section<Result, Rank, ResultLayout>(reduced);
    set_cells(
        exec, u, Cells::interior, [](const auto& g) { return as_element<T>(small_value(g)); },
        as_element<T>(-20011));
    set_section(exec, s, [](const auto&) { return as_element<Result>(77); });
    if constexpr (!std::is_same_v<Op, Sum> && !std::is_same_v<Op, Product>)
        if (layout.extent(axis) == 0) return;
    axis_reduce(exec, comm, op, Array<const T, Rank, Layout>(u), axis, s);
    check_cells(exec, s, as_element<Result>(77), [&](const Result& value, const auto& g) {
        EXPECT_EQ(value, static_cast<Result>(
                             expected<T>(layout, static_cast<std::size_t>(axis), g, start, op)));
    });
}

} // namespace

TEST(AxisReduce, of_any_layout_and_type) {
    for_each_case(campaign_cases(20), [](Random& random, std::uint64_t) {
        check<std::int32_t, std::int64_t, std::int64_t, 1, Kokkos::LayoutRight,
              Kokkos::LayoutRight>(random, 200, Sum{}, 0);
        check<float, double, double, 2, Kokkos::LayoutLeft, Kokkos::LayoutRight>(random, 30, Sum{},
                                                                                 0);
        check<double, double, double, 3, Kokkos::LayoutRight, Kokkos::LayoutLeft>(random, 10, Sum{},
                                                                                  0);
        check<Complex, Complex, Complex, 2, Kokkos::LayoutStride, Kokkos::LayoutRight>(
            random, 20, Sum{}, Complex(0));
    });
    for_each_case(campaign_cases(20), [](Random& random, std::uint64_t) {
        check<std::uint32_t, std::uint64_t, std::uint64_t, 2, Kokkos::LayoutRight,
              Kokkos::LayoutRight>(random, 20, Product{}, 1);
        check<double, float, double, 3, Kokkos::LayoutStride, Kokkos::LayoutStride>(
            random, 8, Minimum{}, std::numeric_limits<double>::infinity());
        check<std::int16_t, std::int16_t, std::int16_t, 2, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(
            random, 30, Maximum{}, std::numeric_limits<std::int16_t>::lowest());
        check<std::int32_t, std::int32_t, std::int32_t, 3, Kokkos::LayoutRight,
              Kokkos::LayoutRight>(random, 8, ExclusiveOr{}, 0);
    });
    // Sums of bool count; products tell whether all are true.
    for_each_case(campaign_cases(20), [](Random& random, std::uint64_t) {
        check<bool, std::int64_t, std::int64_t, 2, Kokkos::LayoutRight, Kokkos::LayoutLeft>(
            random, 30, Sum{}, 0);
        check<bool, std::int32_t, std::int64_t, 1, Kokkos::LayoutRight, Kokkos::LayoutRight>(
            random, 400, Sum{}, 0);
        check<bool, bool, std::int64_t, 3, Kokkos::LayoutLeft, Kokkos::LayoutRight>(random, 4,
                                                                                    Product{}, 1);
    });
}

// A line has more elements than a float can count; with several threads, lines are split into chunks.
TEST(AxisReduce, of_long_lines) {
    const Exec exec;
    const Communicator comm = world();
    const std::int64_t n = 40000;
    for (const AxisSpec& axis : {block(n, {.padding = 2}), block_cyclic(n, 7)}) {
        for (const int along : {0, 1}) {
            const ArrayLayout layout =
                along == 0 ? ArrayLayout(ProcessGrid{comm.size(), 1}, {axis, block(3)})
                           : ArrayLayout(ProcessGrid{1, comm.size()}, {block(3), axis});
            const auto u = make_section<float, 2>(layout);
            const auto s = make_section<double, 2>(reduced_layout(layout, along));
            set_cells(
                exec, u, Cells::interior,
                [&](const auto& g) { return float(20000 + g[std::size_t(along)] % 1000); }, -1.f);
            axis_reduce(exec, comm, Sum{}, u, along, s);
            check_cells(exec, s, 0.0, [&](double value, const auto&) {
                EXPECT_EQ(value, double(n) * 20000 + double(n / 1000) * 499500);
            });
        }
    }
}

// So many values that each place works on a slice; uses a GridAxis repeatedly.
TEST(AxisReduce, of_many_lines) {
    const Exec exec;
    const Communicator comm = world();
    for_each_case(campaign_cases(2), [&](Random& random, std::uint64_t) {
        const ProcessGrid grid(random_process_grid(random, comm.size(), 3));
        const ArrayLayout layout(
            grid, {random_axis(random, grid.extent(0), 8, true), block(70), cyclic(130)});
        if (layout.extent(0) == 0) return;
        SCOPED_TRACE(layout.describe());
        const auto u = make_section<double, 3>(layout);
        const auto s = make_section<double, 3>(reduced_layout(layout, 0, AxisResult::everywhere));
        GridAxis along(comm, grid, 0);
        for (int time = 0; time < 2; ++time) {
            set_cells(
                exec, u, Cells::interior,
                [&](const auto& g) { return double(small_value(g) + time); }, 1e9);
            axis_reduce(exec, along, Maximum{}, u, s);
            check_cells(exec, s, 0.0, [&](double value, const auto& g) {
                EXPECT_EQ(value, expected<double>(layout, 0, g, -1e9, Maximum{}) + time);
            });
        }
    });
}

TEST(AxisReduce, has_the_same_bits_on_all_processes_and_each_time) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{1, comm.size()}, {block(5), block(3000)});
    const auto u = make_section<double, 2>(layout);
    const auto s = make_section<double, 2>(reduced_layout(layout, 1, AxisResult::everywhere));
    set_cells(exec, u, Cells::interior, [](const auto& g) { return 1.0 / double(g[1] + 1); }, 0.0);
    axis_reduce(exec, comm, Sum{}, u, 1, s);
    const auto s_host = to_host(exec, s);
    const double first = s_host.view()(0, 0);
    double on_rank_0 = first;
    MPI_Bcast(&on_rank_0, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    EXPECT_TRUE(bits_equal(first, on_rank_0));
    for (int time = 0; time < 3; ++time) {
        axis_reduce(exec, comm, Sum{}, u, 1, s);
        const auto again = to_host(exec, s);
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(bits_equal(again.view()(i, 0), first));
    }
}

namespace {

/// The number at place i of a line, for which sums are inaccurate. For float the exponent is divided by 8, to fit.
template <class T>
T adversarial(Numbers kind, std::uint64_t seed, std::int64_t i) {
    if constexpr (requires(T z) { z.real(); }) {
        using Part = typename T::value_type;
        return T(adversarial<Part>(kind, seed, i), adversarial<Part>(kind, seed + 1, i));
    } else {
        const double x = number_at(kind, seed, static_cast<std::uint64_t>(i < 0 ? 1000 - i : i));
        if (std::is_same_v<T, double> || kind == Numbers::float_halfway || !std::isfinite(x))
            return static_cast<T>(x);
        int exponent = 0;
        const double fraction = std::frexp(x, &exponent);
        return static_cast<T>(std::ldexp(fraction, exponent / 8));
    }
}

/// Expects the exact sum, rounded once to the type of the result.
template <class T>
void expect_rounded(const T& value, const ReferenceSum& re, const ReferenceSum& im) {
    if constexpr (requires { value.real(); }) {
        expect_rounded(value.real(), re, im);
        expect_rounded(value.imag(), im, re);
    } else {
        EXPECT_PRED2(same_number, double{value}, double{re.template rounded<T>()});
    }
}

template <class T, class Result, class Layout>
void check_reproducible(Random& random) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout = random_layout(random, 2, 40, true);
    const auto axis = static_cast<std::size_t>(random.integer(0, 2));
    const ArrayLayout reduced = random_target(random, layout, static_cast<int>(axis));
    const Numbers kind = random.pick(all_numbers());
    const std::uint64_t seed = random.bits();
    SCOPED_TRACE(layout.describe() + "\n" + reduced.describe() + "\nnumbers " +
                 std::to_string(static_cast<int>(kind)));
    const auto element_at = [&](const Position<2>& g) {
        return adversarial<T>(kind, seed + 2 * static_cast<std::uint64_t>(g[1 - axis] + 500),
                              g[axis]);
    };
    const auto u = make_section<T, 2, Layout>(layout);
    const auto s = make_section<Result, 2>(reduced);
    set_cells(exec, u, Cells::interior, element_at, T(std::numeric_limits<float>::quiet_NaN()));
    set_section(exec, s, [](const auto&) { return Result(77); });
    axis_reduce(exec, comm, Sum{}, u, static_cast<int>(axis), s, {.reproducible = true});
    check_cells(exec, s, Result(77), [&](const Result& value, Position<2> g) {
        ReferenceSum re, im;
        for (const auto& list : indices_of(layout.axis(static_cast<int>(axis))))
            for (const std::int64_t index : list) {
                g[axis] = index;
                const T element = element_at(g);
                if constexpr (requires { element.real(); }) {
                    re.add(element.real());
                    im.add(element.imag());
                } else {
                    re.add(element);
                }
            }
        expect_rounded(value, re, im);
    });
}

} // namespace

TEST(AxisReduce, reproducible_sums_are_exact) {
    using Narrow = Kokkos::complex<float>;
    for_each_case(campaign_cases(10), [](Random& random, std::uint64_t) {
        check_reproducible<double, double, Kokkos::LayoutRight>(random);
        check_reproducible<double, float, Kokkos::LayoutLeft>(random);
        check_reproducible<float, float, Kokkos::LayoutRight>(random);
        check_reproducible<float, double, Kokkos::LayoutStride>(random);
        check_reproducible<Complex, Complex, Kokkos::LayoutLeft>(random);
        check_reproducible<Complex, Narrow, Kokkos::LayoutRight>(random);
        check_reproducible<Narrow, Narrow, Kokkos::LayoutLeft>(random);
    });
}

// A double would lose the last of these numbers, and the rest lies halfway between two floats.
TEST(AxisReduce, reproducible_sums_are_rounded_once_to_float) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {cyclic(3), block(2)});
    const auto u = make_section<double, 2>(layout);
    const auto s = make_section<float, 2>(reduced_layout(layout, 0, AxisResult::everywhere));
    set_cells(
        exec, u, Cells::interior,
        [](const auto& g) {
            const double numbers[] = {1, 0x1p-24, g[1] == 0 ? 0x1p-80 : -0x1p-80};
            return numbers[g[0]];
        },
        0.0);
    axis_reduce(exec, comm, Sum{}, u, 0, s, {.reproducible = true});
    check_cells(exec, s, 0.f, [](float value, const auto& g) {
        EXPECT_EQ(value, g[1] == 0 ? 1 + 0x1p-23f : 1.f);
    });
}

TEST(AxisReduce, reproducible_sums_of_integers) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(30)});
    const auto i = make_section<std::int32_t, 1>(layout);
    const auto s = make_section<std::int64_t, 1>(reduced_layout(layout, 0));
    set_cells(exec, i, Cells::interior, [](const auto& g) { return std::int32_t(g[0]); }, 9);
    axis_reduce(exec, comm, Sum{}, i, 0, s, {.reproducible = true});
    check_cells(exec, s, 0, [](std::int64_t value, const auto&) { EXPECT_EQ(value, 435); });
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            axis_reduce(exec, comm, Sum{}, i, 0, s, {.reproducible = comm.rank() == 1}), UsageError,
            "reproducible is true on rank 1, false on rank 0");
    }
}

TEST(AxisReduce, minima_of_nan_are_nan) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(12), block(4)});
    const auto u = make_section<double, 2>(layout);
    const auto s = make_section<double, 2>(reduced_layout(layout, 0));
    for (std::int64_t at = 0; at < 12; ++at) {
        set_cells(
            exec, u, Cells::interior,
            [&](const auto& g) { return g[1] == 2 && g[0] == at ? std::nan("") : double(g[0]); },
            -5.0);
        axis_reduce(exec, comm, Minimum{}, u, 0, s);
        check_cells(exec, s, 0.0, [](double value, const auto& g) {
            EXPECT_EQ(std::isnan(value), g[1] == 2);
            EXPECT_EQ(std::isnan(value) ? 0.0 : value, 0.0);
        });
    }
}

TEST(AxisReduce, over_no_cells) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(0), block(4)});
    const auto u = make_section<double, 2>(layout);
    const auto s = make_section<double, 2>(reduced_layout(layout, 0));
    axis_reduce(exec, comm, Sum{}, u, 0, s);
    check_cells(exec, s, 0.0, [](double value, const auto&) { EXPECT_EQ(value, 0); });
    axis_reduce(exec, comm, Product{}, u, 0, s);
    check_cells(exec, s, 0.0, [](double value, const auto&) { EXPECT_EQ(value, 1); });
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Minimum{}, u, 0, s), UsageError,
                              "expected at least one cell along axis 0");
}

TEST(AxisReduce, is_on_the_threads_of_the_given_instance) {
    expect_threads_of_given_instance<Exec>({"distview::axis_reduce"}, [](const Exec& exec) {
        const Communicator comm = world();
        const auto reduce = [&](std::int64_t rows, std::int64_t lines, bool reproducible) {
            const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(rows), block(lines)});
            const auto u = make_section<double, 2>(layout);
            set_section(exec, u, [](const auto&) { return 1.0; });
            for (const AxisResult where : {AxisResult::first, AxisResult::everywhere})
                axis_reduce(exec, comm, Sum{}, u, 0,
                            make_section<double, 2>(reduced_layout(layout, 0, where)),
                            {.reproducible = reproducible});
        };
        reduce(60'000, 3, false); // lines are split into chunks
        reduce(60'000, 3, true);
        reduce(3, 600'000, false); // ranks move more than 1 MiB
    });
}

TEST(AxisReduce, a_mean_is_subtracted) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{1, comm.size()}, {block(6), block(30)});
    const auto u = make_section<double, 2>(layout);
    const auto mean = make_section<double, 2>(reduced_layout(layout, 1, AxisResult::everywhere));
    set_cells(
        exec, u, Cells::interior, [](const auto& g) { return double(100 * g[0] + g[1]); }, 0.0);
    axis_reduce(exec, comm, Sum{}, u, 1, mean);
    transform(exec, u, SubtractMean(), u, mean);
    check_cells(exec, u, 0.0,
                [](double value, const auto& g) { EXPECT_EQ(value, double(g[1]) - 14.5); });
}

TEST(AxisReduce, errors_name_both_layouts) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(12), block(4)});
    const auto u = make_section<double, 2>(layout);
    const auto same = make_section<double, 2>(layout);
    const ArrayLayout other(ProcessGrid{comm.size(), 1}, {block(1), block(5)});
    const auto s = make_section<double, 2>(other);
    EXPECT_THROW_ON_ALL_RANKS(
        axis_reduce(exec, comm, Sum{}, u, 0, same), ShapeError,
        "to align them: reduce into an array of r = reduced_layout(layout of the source, 0)");
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, u, 0, s), ShapeError,
                              "no redistribution aligns them: their extents differ");
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, u, 0, s), ShapeError,
                              layout.describe());
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, u, 0, s), ShapeError,
                              other.describe());
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, u, 2, s), UsageError,
                              "expected an axis in [0, 2)");
    EXPECT_THROW(reduced_layout(layout, -1), UsageError);
    const auto right = make_section<double, 2>(reduced_layout(layout, 0));
    GridAxis wrong(comm, ProcessGrid{1, comm.size()}, 0);
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, wrong, Sum{}, u, right), UsageError,
                                  "on the GridAxis's process grid");
    }
    const ArrayLayout in_part(
        ProcessGrid{comm.size(), 1},
        {unstructured_local(comm.size(), comm.rank(), {comm.rank()}), block(4)});
    if (comm.size() > 1) {
        const auto v = make_section<double, 2>(in_part);
        EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, v, 0, right), UsageError,
                                  "expected the labels of all processes along axis 0");
        EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, comm, Sum{}, comm.rank() == 1 ? same : u,
                                              comm.rank() == 1 ? 1 : 0, right),
                                  UsageError, "axis is 1 on rank 1, 0 on rank 0");
        EXPECT_THROW_ON_ALL_RANKS(comm.rank() == 1 ? axis_reduce(exec, comm, Product{}, u, 0, right)
                                                   : axis_reduce(exec, comm, Sum{}, u, 0, right),
                                  UsageError, "operation is Product on rank 1, Sum on rank 0");
    }
}

} // namespace distview::testing
