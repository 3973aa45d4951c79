// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview {

namespace impl {
struct GlobalSpace;
struct LocalSpace;
struct ProtocolSpace;

/// Types that an index may be compared with: an index of the same space, or an integer.
template <class T, class IndexType>
concept ComparedWith = std::same_as<T, IndexType> || std::integral<T>;
} // namespace impl

/// A one-dimensional index of one index space; indices of different spaces do not mix.
///
/// Programs with distributed arrays easily confuse one-dimensional indices: 7 may be an index in the
/// whole array or in this process's section. An Index is constructed explicitly from an
/// integer and converts implicitly to one. It neither converts to nor compares with an Index of another
/// space.
///
/// Kernels use plain integers. Elsewhere a Kokkos::View accepts LocalIndex, which counts positions in it: v(l, l). It
/// does not accept two GlobalIndex. Kokkos 4.5 accepts integers only: v(l.value(), l.value()).
///
/// Indices: 0-based; Units: elements
/// Cost:    as a 64-bit integer; usable on device and in constant expressions
/// Example: tests/compile_time/index_types.cpp
template <class Space>
class Index {
public:
    using value_type = std::int64_t;

    constexpr Index() noexcept = default;

    template <std::integral Integer>
    KOKKOS_FUNCTION constexpr explicit Index(Integer value) noexcept
        : m_value(static_cast<std::int64_t>(value)) {}

    template <class OtherSpace>
        requires(!std::same_as<OtherSpace, Space>)
    Index(Index<OtherSpace>) = delete; // global and local indices do not convert to each other

    KOKKOS_FUNCTION constexpr std::int64_t value() const noexcept { return m_value; }
    KOKKOS_FUNCTION constexpr operator std::int64_t() const noexcept { return m_value; }

    KOKKOS_FUNCTION constexpr Index& operator++() noexcept {
        ++m_value;
        return *this;
    }
    KOKKOS_FUNCTION constexpr Index& operator--() noexcept {
        --m_value;
        return *this;
    }
    KOKKOS_FUNCTION constexpr Index& operator+=(std::int64_t n) noexcept {
        m_value += n;
        return *this;
    }
    KOKKOS_FUNCTION constexpr Index& operator-=(std::int64_t n) noexcept {
        m_value -= n;
        return *this;
    }

    template <class OtherSpace>
        requires(!std::same_as<OtherSpace, Space>)
    Index& operator+=(Index<OtherSpace>) = delete;
    template <class OtherSpace>
        requires(!std::same_as<OtherSpace, Space>)
    Index& operator-=(Index<OtherSpace>) = delete;

    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr Index operator+(Index i, Integer n) noexcept {
        return Index(i.m_value + static_cast<std::int64_t>(n));
    }
    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr Index operator-(Index i, Integer n) noexcept {
        return Index(i.m_value - static_cast<std::int64_t>(n));
    }
    KOKKOS_FUNCTION friend constexpr std::int64_t operator-(Index a, Index b) noexcept {
        return a.m_value - b.m_value;
    }

    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr bool operator==(Index a, Other b) noexcept {
        return a.m_value == static_cast<std::int64_t>(b);
    }
    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr std::strong_ordering operator<=>(Index a, Other b) noexcept {
        return a.m_value <=> static_cast<std::int64_t>(b);
    }
    // Also defined, although <=> implies them: the standard library's ordering types do not exist on a device.
    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr bool operator<(Index a, Other b) noexcept {
        return a.m_value < static_cast<std::int64_t>(b);
    }
    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr bool operator<(Integer a, Index b) noexcept {
        return static_cast<std::int64_t>(a) < b.m_value;
    }
    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr bool operator<=(Index a, Other b) noexcept {
        return a.m_value <= static_cast<std::int64_t>(b);
    }
    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr bool operator<=(Integer a, Index b) noexcept {
        return static_cast<std::int64_t>(a) <= b.m_value;
    }
    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr bool operator>(Index a, Other b) noexcept {
        return a.m_value > static_cast<std::int64_t>(b);
    }
    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr bool operator>(Integer a, Index b) noexcept {
        return static_cast<std::int64_t>(a) > b.m_value;
    }
    template <impl::ComparedWith<Index> Other>
    KOKKOS_FUNCTION friend constexpr bool operator>=(Index a, Other b) noexcept {
        return a.m_value >= static_cast<std::int64_t>(b);
    }
    template <std::integral Integer>
    KOKKOS_FUNCTION friend constexpr bool operator>=(Integer a, Index b) noexcept {
        return static_cast<std::int64_t>(a) >= b.m_value;
    }

private:
    std::int64_t m_value = 0;
};

template <class SpaceA, class SpaceB>
    requires(!std::same_as<SpaceA, SpaceB>)
bool operator==(Index<SpaceA>, Index<SpaceB>) = delete;
template <class SpaceA, class SpaceB>
    requires(!std::same_as<SpaceA, SpaceB>)
std::strong_ordering operator<=>(Index<SpaceA>, Index<SpaceB>) = delete;
template <class SpaceA, class SpaceB>
    requires(!std::same_as<SpaceA, SpaceB>)
std::int64_t operator+(Index<SpaceA>, Index<SpaceB>) = delete;
template <class SpaceA, class SpaceB>
    requires(!std::same_as<SpaceA, SpaceB>)
std::int64_t operator-(Index<SpaceA>, Index<SpaceB>) = delete;

/// Position along one axis of the whole array, counted from the first interior element: [0, n) is the interior;
/// boundary padding has negative indices, and n and above. On unstructured axes the index is the label.
using GlobalIndex = Index<impl::GlobalSpace>;
/// Position along one axis of this process's section, all padding included.
using LocalIndex = Index<impl::LocalSpace>;
/// Position along one axis in the Distributed Array Protocol 0.10, counted from the first element of the
/// boundary padding. AxisLayout::protocol_index() and global_index() convert.
using ProtocolIndex = Index<impl::ProtocolSpace>;

/// A half-open range [begin, end) of indices of one space.
///
/// Shapes:  empty if end <= begin
/// Example: for (auto i = r.begin; i < r.end; ++i)
template <class IndexType>
struct Range {
    IndexType begin{};
    IndexType end{};

    KOKKOS_FUNCTION constexpr std::int64_t size() const noexcept {
        return end > begin ? end - begin : 0;
    }
    KOKKOS_FUNCTION constexpr bool empty() const noexcept { return !(begin < end); }
    KOKKOS_FUNCTION constexpr bool contains(IndexType i) const noexcept {
        return begin <= i && i < end;
    }
    KOKKOS_FUNCTION friend constexpr bool operator==(const Range& a, const Range& b) noexcept {
        return a.begin == b.begin && a.end == b.end;
    }
};

using GlobalRange = Range<GlobalIndex>;
using LocalRange = Range<LocalIndex>;
using ProtocolRange = Range<ProtocolIndex>;

} // namespace distview

/// Indices of two spaces have no common type: Clang would otherwise use the integers' common type.
template <class A, class B>
    requires(!std::same_as<A, B>)
struct std::common_type<distview::Index<A>, distview::Index<B>> {};

/// The type in which a Kokkos::View computes offsets from two positions, or from a position and an integer. A
/// GlobalIndex has no common type with another index: v(g, g) and v(g, l) are mistakes; contiguous Views reject them.
template <>
struct std::common_type<distview::LocalIndex, distview::LocalIndex> {
    using type = std::int64_t;
};
template <std::integral Number>
struct std::common_type<distview::LocalIndex, Number> {
    using type = std::int64_t;
};
template <std::integral Number>
struct std::common_type<Number, distview::LocalIndex> {
    using type = std::int64_t;
};
