// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/index_types.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace distview::testing {

TEST(Index, starts_at_zero_and_reads_as_an_integer) {
    EXPECT_EQ(GlobalIndex().value(), 0);
    const std::int64_t read = LocalIndex(7);
    EXPECT_EQ(read, 7);

    std::vector<int> section{10, 11, 12};
    EXPECT_EQ(section[LocalIndex(2)], 12);
}

#if KOKKOS_VERSION >= 50000
template <class View>
double at_second(const View& view) {
    const LocalIndex l(1);
    if constexpr (View::rank() == 1)
        return view(l);
    else if constexpr (View::rank() == 2)
        return view(l, l);
    else
        return view(l, 1, l);
}

TEST(Index, of_a_position_goes_into_the_parentheses_of_a_view) {
    using Host = Kokkos::HostSpace;
    const Kokkos::View<double*, Host> line("line", 3);
    const Kokkos::View<double**, Kokkos::LayoutRight, Host> rows("rows", 3, 2);
    const Kokkos::View<double**, Kokkos::LayoutLeft, Host> columns("columns", 3, 2);
    const Kokkos::View<double***, Kokkos::LayoutRight, Host> box("box", 2, 2, 2);
    line(1) = 1;
    rows(1, 1) = 2;
    columns(1, 1) = 3;
    box(1, 1, 1) = 4;
    EXPECT_EQ(at_second(line), 1);
    EXPECT_EQ(at_second(rows), 2);
    EXPECT_EQ(at_second(columns), 3);
    EXPECT_EQ(at_second(box), 4);
    const auto inner = Kokkos::subview(box, Kokkos::ALL, 1, Kokkos::pair<int, int>(0, 2));
    EXPECT_EQ(at_second(inner), 4);
    EXPECT_EQ(at_second(Kokkos::subview(columns, 1, Kokkos::ALL)), 3);
}
#endif

// Neither two global indices nor one index of each space have a common type: a View rejects such arguments.
template <class A, class B>
concept HaveCommonType = requires { typename std::common_type_t<A, B>; };
static_assert(std::same_as<std::common_type_t<LocalIndex, const LocalIndex&>, std::int64_t>);
static_assert(std::same_as<std::common_type_t<LocalIndex, int>, std::int64_t>);
static_assert(std::same_as<std::common_type_t<int, LocalIndex>, std::int64_t>);
static_assert(std::same_as<std::common_type_t<GlobalIndex, GlobalIndex>, GlobalIndex>);
static_assert(!HaveCommonType<GlobalIndex, LocalIndex>);
static_assert(!HaveCommonType<LocalIndex, ProtocolIndex>);

TEST(Index, is_built_from_any_integer_type) {
    EXPECT_EQ(GlobalIndex(short(-3)).value(), -3);
    EXPECT_EQ(GlobalIndex(3u).value(), 3);
    EXPECT_EQ(GlobalIndex(std::size_t(5)).value(), 5);
    EXPECT_EQ(GlobalIndex(std::numeric_limits<std::int64_t>::min()).value(),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(GlobalIndex(std::numeric_limits<std::uint32_t>::max()).value(), 4294967295);
}

TEST(Index, moves_by_integers) {
    GlobalIndex g(5);
    EXPECT_EQ((++g).value(), 6);
    EXPECT_EQ((--g).value(), 5);
    EXPECT_EQ((g += 10).value(), 15);
    EXPECT_EQ((g -= 20).value(), -5);
    EXPECT_EQ((g + 3).value(), -2);
    EXPECT_EQ((g - 3).value(), -8);
    EXPECT_EQ((g + std::int64_t(1) * 4294967296).value(), 4294967291);
    static_assert(std::is_same_v<decltype(g + 1), GlobalIndex>);
    static_assert(std::is_same_v<decltype(g - 1), GlobalIndex>);
}

TEST(Index, subtracts_to_a_distance) {
    static_assert(std::is_same_v<decltype(GlobalIndex() - GlobalIndex()), std::int64_t>);
    EXPECT_EQ(GlobalIndex(3) - GlobalIndex(10), -7);
    EXPECT_EQ(LocalIndex(std::int64_t(1) << 40) - LocalIndex(1), (std::int64_t(1) << 40) - 1);
}

TEST(Index, compares_with_its_own_space_and_with_integers) {
    EXPECT_TRUE(GlobalIndex(3) == GlobalIndex(3));
    EXPECT_TRUE(GlobalIndex(3) != GlobalIndex(4));
    EXPECT_TRUE(GlobalIndex(3) < GlobalIndex(4));
    EXPECT_TRUE(GlobalIndex(4) >= GlobalIndex(4));
    EXPECT_TRUE(LocalIndex(3) == 3);
    EXPECT_TRUE(3 == LocalIndex(3));
    EXPECT_TRUE(LocalIndex(-1) < 0);
    EXPECT_TRUE(0 > LocalIndex(-1));
    EXPECT_TRUE(LocalIndex(2) <= std::int64_t(2));
    EXPECT_EQ(GlobalIndex(1) <=> GlobalIndex(2), std::strong_ordering::less);

    std::vector<GlobalIndex> indices{GlobalIndex(4), GlobalIndex(-1), GlobalIndex(2)};
    std::sort(indices.begin(), indices.end());
    EXPECT_EQ(indices.front(), -1);
    EXPECT_EQ(indices.back(), 4);
}

TEST(Range, is_half_open) {
    const GlobalRange range{GlobalIndex(2), GlobalIndex(5)};
    EXPECT_EQ(range.size(), 3);
    EXPECT_FALSE(range.empty());
    EXPECT_FALSE(range.contains(GlobalIndex(1)));
    EXPECT_TRUE(range.contains(GlobalIndex(2)));
    EXPECT_TRUE(range.contains(GlobalIndex(4)));
    EXPECT_FALSE(range.contains(GlobalIndex(5)));

    std::vector<std::int64_t> visited;
    for (auto g = range.begin; g < range.end; ++g) visited.push_back(g);
    EXPECT_EQ(visited, (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(Range, is_empty_when_it_ends_where_or_before_it_begins) {
    for (const std::int64_t end : {5, 4, -5}) {
        const LocalRange range{LocalIndex(5), LocalIndex(end)};
        EXPECT_TRUE(range.empty()) << end;
        EXPECT_EQ(range.size(), 0) << end;
        EXPECT_FALSE(range.contains(LocalIndex(5))) << end;
        EXPECT_FALSE(range.contains(LocalIndex(end))) << end;
    }
    EXPECT_TRUE(LocalRange().empty());
}

TEST(Range, is_equal_when_both_ends_are) {
    const LocalRange range{LocalIndex(1), LocalIndex(4)};
    EXPECT_TRUE(range == (LocalRange{LocalIndex(1), LocalIndex(4)}));
    EXPECT_FALSE(range == (LocalRange{LocalIndex(1), LocalIndex(3)}));
    EXPECT_FALSE(range == (LocalRange{LocalIndex(0), LocalIndex(4)}));
}

TEST(Range, holds_more_than_32_bits) {
    const GlobalRange range{GlobalIndex(-1), GlobalIndex((std::int64_t(1) << 40) + 1)};
    EXPECT_EQ(range.size(), (std::int64_t(1) << 40) + 2);
    EXPECT_TRUE(range.contains(GlobalIndex(std::int64_t(1) << 40)));
}

} // namespace distview::testing
