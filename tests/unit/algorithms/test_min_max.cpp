// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/min_max.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

namespace distview::testing {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, int Rank>
struct Best {
    std::optional<T> value;
    Position<Rank> at{};

    /// Serial reference: NaN first, then the lesser (or greater) value, then the earlier position.
    void take(T candidate, const Position<Rank>& position, bool greatest) {
        const auto rank_of = [&](T v) { return v != v ? 0 : 1; };
        bool better = !value;
        if (value && rank_of(candidate) != rank_of(*value))
            better = rank_of(candidate) < rank_of(*value);
        else if (value && rank_of(candidate) == 1 && candidate != *value)
            better = greatest ? candidate > *value : candidate < *value;
        else if (value)
            better = position < at;
        if (!better) return;
        value = candidate;
        at = position;
    }
};

template <class T, int Rank>
void expect_best(const Best<T, Rank>& expected, T value, const CellValue<T, Rank>& located) {
    if (*expected.value != *expected.value) {
        EXPECT_TRUE(value != value) << value;
        EXPECT_TRUE(located.value != located.value) << located.value;
    } else {
        EXPECT_EQ(value, *expected.value);
        EXPECT_EQ(located.value, *expected.value);
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(Rank); ++d)
        EXPECT_EQ(located.index[d].value(), expected.at[d]) << "axis " << d;
}

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check_extrema(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, Rank, Layout>(layout);
    // Few different values, to get ties; sometimes NaNs.
    const std::int64_t n_values = random.integer(1, 60);
    const bool nans = std::floating_point<T> && random.chance(0.3);
    const std::int64_t salt = random.integer(0, 1000);
    const auto value = [&](const Position<Rank>& g) {
        std::int64_t hash = salt;
        for (const std::int64_t i : g) hash = (hash * 131 + i + 1000) % 10007;
        if (nans && hash % 50 == 0) return std::numeric_limits<T>::quiet_NaN();
        return static_cast<T>(hash % n_values - (std::is_signed_v<T> ? 20 : 0));
    };
    for (const Cells cells : {Cells::interior, Cells::owned}) {
        // Elements outside the cells have values that would win.
        for (const bool greatest : {false, true}) {
            set_cells(exec, x, cells, value,
                      greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest());
            Best<T, Rank> expected;
            for_each_cell_of_all<Rank>(
                layout, cells, [&](int, const auto& g) { expected.take(value(g), g, greatest); });
            if (!expected.value) {
                EXPECT_THROW_ON_ALL_RANKS(min(exec, comm, x, cells), UsageError,
                                          "min: expected an array with at least one cell, got a ");
                EXPECT_THROW_ON_ALL_RANKS(max_location(exec, comm, x, cells), UsageError,
                                          "max_location: expected an array with at least one cell");
            } else if (greatest) {
                expect_best<T, Rank>(expected, max(exec, comm, x, cells),
                                     max_location(exec, comm, x, cells));
            } else {
                expect_best<T, Rank>(expected, min(exec, comm, x, cells),
                                     min_location(exec, comm, x, cells));
            }
        }
    }
}

} // namespace

TEST(MinMax, double_of_any_layout) {
    for_each_case(25, [](Random& random, std::uint64_t) {
        check_extrema<double, 1>(random, 300);
        check_extrema<double, 2>(random, 30);
        check_extrema<double, 2, Kokkos::LayoutLeft>(random, 20);
        check_extrema<double, 3, Kokkos::LayoutStride>(random, 8);
    });
}
TEST(MinMax, other_types_and_ranks) {
    for_each_case(15, [](Random& random, std::uint64_t) {
        check_extrema<float, 2>(random, 20);
        check_extrema<int, 3>(random, 10);
        check_extrema<std::int64_t, 1>(random, 100);
        check_extrema<std::uint32_t, 1>(random, 100);
        check_extrema<double, 5>(random, 3);
    });
}

TEST(MinMax, an_array_without_axes) {
    const Exec exec;
    const Communicator alone(MPI_COMM_SELF);
    const auto x = make_section<double, 0>(ArrayLayout());
    set_section(exec, x, [](const auto&) { return -4.0; });
    EXPECT_EQ(min(exec, alone, x), -4.0);
    EXPECT_EQ((max_location(exec, alone, x)), (CellValue<double, 0>{-4.0, {}}));
}

TEST(MinMax, extreme_values_alone) {
    const Exec exec;
    const Communicator comm = world();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(7)}});
    for (const double value : {infinity, -infinity}) {
        set_section(exec, x, [&](const auto&) { return value; });
        EXPECT_EQ(min(exec, comm, x), value);
        EXPECT_EQ(max(exec, comm, x), value);
        EXPECT_EQ(min_location(exec, comm, x).index[0].value(), 0);
        EXPECT_EQ(max_location(exec, comm, x).index[0].value(), 0);
    }
    const auto k = make_section<std::int64_t, 1>({ProcessGrid{comm.size()}, {block(7)}});
    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
        set_section(exec, k, [&](const auto&) { return value; });
        EXPECT_EQ(min(exec, comm, k), value);
        EXPECT_EQ(max(exec, comm, k), value);
    }
}

TEST(MinMax, one_nan_anywhere_wins) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(150)}});
    for (std::int64_t place = 0; place < 150; place += 7) {
        set_cells(
            exec, x, Cells::interior,
            [&](const auto& g) { return g[0] == place || g[0] == place + 90 ? nan : 1.0; }, 0.0);
        EXPECT_TRUE(std::isnan(min(exec, comm, x))) << place;
        EXPECT_TRUE(std::isnan(max(exec, comm, x))) << place;
        EXPECT_EQ(min_location(exec, comm, x).index[0].value(), place);
        EXPECT_EQ(max_location(exec, comm, x).index[0].value(), place);
    }
}

TEST(MinMax, of_no_cells_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<int, 2>({ProcessGrid{1, comm.size()}, {block(3), block(0)}});
    EXPECT_THROW_ON_ALL_RANKS(min(exec, comm, x), UsageError, "min: expected an array with");
    EXPECT_THROW_ON_ALL_RANKS(max(exec, comm, x), UsageError, "max: expected an array with");
    EXPECT_THROW_ON_ALL_RANKS(min_location(exec, comm, x), UsageError, "min_location: expected");
    EXPECT_THROW_ON_ALL_RANKS(max_location(exec, comm, x), UsageError, "max_location: expected");
}

TEST(MinMax, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "needs a rank that differs";
    const bool last = comm.rank() == comm.size() - 1;
    const auto x =
        make_section<double, 1>({ProcessGrid{comm.size()}, {last ? cyclic(9) : block(9)}});
    set_section(exec, x, [](const auto&) { return 0.0; });
    EXPECT_THROW_ON_ALL_RANKS(min(exec, comm, x), UsageError, "min: expected the same arguments");
    EXPECT_THROW_ON_ALL_RANKS(max_location(exec, comm, x), UsageError,
                              "max_location: expected the same arguments");
}

} // namespace distview::testing
