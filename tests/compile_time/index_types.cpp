// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/index_types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview::testing {

namespace {

// GlobalIndex has the size of a plain integer, and is copied and passed like one.
static_assert(sizeof(GlobalIndex) == sizeof(std::int64_t));
static_assert(std::is_trivially_copyable_v<GlobalIndex> && std::is_standard_layout_v<GlobalIndex>);
static_assert(std::is_trivially_copyable_v<LocalRange> && std::is_aggregate_v<LocalRange>);
static_assert(std::totally_ordered<GlobalIndex> && std::totally_ordered<LocalIndex>);

// Constructible explicitly from integers, and from no type that would lose a fraction.
static_assert(std::is_constructible_v<GlobalIndex, int>);
static_assert(std::is_constructible_v<GlobalIndex, std::uint64_t>);
static_assert(!std::is_convertible_v<int, GlobalIndex>);
static_assert(!std::is_convertible_v<std::int64_t, LocalIndex>);
static_assert(!std::is_assignable_v<GlobalIndex&, int>);
static_assert(!std::is_constructible_v<GlobalIndex, double>);

// Converts implicitly to an integer.
static_assert(std::is_convertible_v<GlobalIndex, std::int64_t>);

// An index of one space does not convert to the other space.
static_assert(!std::is_same_v<GlobalIndex, LocalIndex>);
static_assert(!std::is_constructible_v<GlobalIndex, LocalIndex>);
static_assert(!std::is_constructible_v<LocalIndex, GlobalIndex>);
static_assert(!std::is_convertible_v<GlobalIndex, LocalIndex>);
static_assert(!std::is_assignable_v<LocalIndex&, GlobalIndex>);
static_assert(!std::is_constructible_v<LocalRange, GlobalRange>);

template <class A, class B>
concept Comparable = requires(A a, B b) { a == b; } || requires(A a, B b) { a != b; } ||
                     requires(A a, B b) { a < b; } || requires(A a, B b) { a >= b; } ||
                     requires(A a, B b) { a <=> b; };
template <class A, class B>
concept Additive = requires(A a, B b) { a + b; } || requires(A a, B b) { a - b; } ||
                   requires(A a, B b) { a += b; } || requires(A a, B b) { a -= b; };

static_assert(Comparable<GlobalIndex, GlobalIndex> && Comparable<LocalIndex, int>);
static_assert(Additive<GlobalIndex, GlobalIndex> && Additive<LocalIndex, std::uint32_t>);
static_assert(!Comparable<GlobalIndex, LocalIndex> && !Comparable<LocalIndex, GlobalIndex>);
static_assert(!Comparable<GlobalRange, LocalRange>);
static_assert(!Additive<GlobalIndex, LocalIndex> && !Additive<LocalIndex, GlobalIndex>);

// Index plus step stays in its space; the difference of two indices is a plain integer.
static_assert(std::same_as<decltype(GlobalIndex() + 1), GlobalIndex>);
static_assert(std::same_as<decltype(LocalIndex() - 1), LocalIndex>);
static_assert(std::same_as<decltype(GlobalIndex() - GlobalIndex()), std::int64_t>);

// A function for one space cannot be called with an index of the other.
struct TakesLocal {
    void operator()(LocalIndex) const;
};
static_assert(std::invocable<TakesLocal, LocalIndex>);
static_assert(!std::invocable<TakesLocal, GlobalIndex>);
static_assert(!std::invocable<TakesLocal, std::int64_t>);

constexpr std::int64_t sum_of(GlobalRange range) {
    std::int64_t sum = 0;
    for (auto g = range.begin; g < range.end; ++g) sum += g;
    return sum;
}
static_assert(sum_of({GlobalIndex(2), GlobalIndex(5)}) == 9);
static_assert(LocalRange{LocalIndex(2), LocalIndex(5)}.size() == 3);
static_assert(LocalRange{LocalIndex(5), LocalIndex(2)}.empty());
static_assert((GlobalIndex(5) -= 7) == -2 && --GlobalIndex(0) == -1);

} // namespace

} // namespace distview::testing
