// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/norm.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace distview::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, std::size_t Rank>
T element_of(const std::array<std::int64_t, Rank>& g) {
    std::int64_t value = 1;
    for (const std::int64_t i : g) value = value * 37 + i;
    value = ((value % 211) + 211) % 211 - 100;
    if constexpr (requires(T z) { z.real(); })
        return T(static_cast<typename T::value_type>(3 * value),
                 static_cast<typename T::value_type>(-4 * value));
    else
        return static_cast<T>(value);
}

template <class T>
double magnitude_of(T value) {
    if constexpr (requires { value.real(); })
        return std::hypot(double(value.real()), double(value.imag()));
    else
        return std::abs(static_cast<double>(value));
}

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check_norms(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, Rank, Layout>(layout);
    for (const Cells cells : {Cells::interior, Cells::owned}) {
        set_cells(exec, x, cells, element_of<T, std::size_t{Rank}>, T(100'000));
        double one = 0;
        double two = 0;
        double largest = 0;
        for_each_cell_of_all<Rank>(layout, cells, [&](int, const auto& g) {
            const double a = magnitude_of(element_of<T>(g));
            one += a;
            two += a * a;
            largest = std::max(largest, a);
        });
        // Integers (complex ones in the ratio 3:4:5), so sums are exact in any order.
        EXPECT_EQ(norm1(exec, comm, x, cells), one);
        EXPECT_EQ(norm2(exec, comm, x, cells), std::sqrt(two));
        EXPECT_EQ(norm_inf(exec, comm, x, cells), largest);
    }
}

/// An array with the given first elements, then zeros.
Array<double, 1> array_of(const std::vector<double>& values, std::int64_t n) {
    const Exec exec;
    const auto x = make_section<double, 1>({ProcessGrid{world().size()}, {cyclic(n)}});
    set_cells(
        exec, x, Cells::interior,
        [&](const auto& g) {
            const auto i = static_cast<std::size_t>(g[0]);
            return i < values.size() ? values[i] : 0.0;
        },
        0.0);
    return x;
}

} // namespace

TEST(Norm, any_layout_and_type) {
    for_each_case(20, [](Random& random, std::uint64_t) {
        check_norms<double, 1>(random, 300);
        check_norms<double, 2>(random, 30);
        check_norms<double, 3, Kokkos::LayoutLeft>(random, 8);
        check_norms<double, 2, Kokkos::LayoutStride>(random, 20);
        check_norms<float, 2>(random, 20);
        check_norms<int, 1>(random, 100);
        check_norms<std::int64_t, 1>(random, 100);
        check_norms<Kokkos::complex<double>, 2>(random, 20);
    });
    for_each_case(2, [](Random& random, std::uint64_t) { check_norms<double, 0>(random, 1); });
}

TEST(Norm, of_no_cells_is_zero) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = array_of({}, 0);
    EXPECT_EQ(norm1(exec, comm, x), 0.0);
    EXPECT_EQ(norm2(exec, comm, x), 0.0);
    EXPECT_EQ(norm_inf(exec, comm, x), 0.0);
}

TEST(Norm, squares_neither_overflow_nor_underflow) {
    const Exec exec;
    const Communicator comm = world();
    EXPECT_EQ(norm2(exec, comm, array_of({0x3p600, -0x4p600}, 20)), 0x5p600);
    EXPECT_EQ(norm2(exec, comm, array_of({0x3p-600, -0x4p-600}, 20)), 0x5p-600);
    EXPECT_EQ(norm2(exec, comm, array_of({0, 0, 0x3p-1074, 0x4p-1074}, 20)), 0x5p-1074);
    constexpr double most = std::numeric_limits<double>::max();
    EXPECT_EQ(norm2(exec, comm, array_of({most}, 20)), most);
    EXPECT_EQ(norm2(exec, comm, array_of({most, most}, 20)), infinity);
    EXPECT_EQ(norm2(exec, comm, array_of({0x1p1023 * 0.75, 0x1p1023}, 20)), 0x1p1023 * 1.25);
    EXPECT_EQ(norm2(exec, comm, array_of({0, 0}, 20)), 0.0);
}

TEST(Norm, infinities_and_nans) {
    const Exec exec;
    const Communicator comm = world();
    for (const double value : {infinity, -infinity}) {
        const auto x = array_of({1, value, 2}, 20);
        EXPECT_EQ(norm1(exec, comm, x), infinity);
        EXPECT_EQ(norm2(exec, comm, x), infinity);
        EXPECT_EQ(norm_inf(exec, comm, x), infinity);
    }
    for (std::size_t place = 0; place < 70; ++place) {
        std::vector<double> values(70, 1e300);
        values[place] = nan;
        values[(place + 5) % 70] = infinity;
        const auto x = array_of(values, 70);
        EXPECT_TRUE(std::isnan(norm1(exec, comm, x)));
        EXPECT_TRUE(std::isnan(norm2(exec, comm, x)));
        EXPECT_TRUE(std::isnan(norm_inf(exec, comm, x))) << place;
    }
}

TEST(Norm, magnitude_of_the_least_integer) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<std::int64_t, 1>({ProcessGrid{comm.size()}, {block(3)}});
    set_section(exec, x, [](const auto&) { return std::numeric_limits<std::int64_t>::min(); });
    EXPECT_EQ(norm_inf(exec, comm, x), 0x1p63);
    EXPECT_EQ(norm1(exec, comm, x), 3 * 0x1p63);
}

TEST(Norm, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "needs a rank that differs";
    const bool last = comm.rank() == comm.size() - 1;
    const auto x =
        make_section<double, 1>({ProcessGrid{comm.size()}, {last ? block(9) : block(8)}});
    EXPECT_THROW_ON_ALL_RANKS(norm1(exec, comm, x), UsageError, "norm1: expected the same");
    EXPECT_THROW_ON_ALL_RANKS(norm2(exec, comm, x), UsageError, "norm2: expected the same");
    EXPECT_THROW_ON_ALL_RANKS(norm_inf(exec, comm, x), UsageError, "norm_inf: expected the same");
}

} // namespace distview::testing
