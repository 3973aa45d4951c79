// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <limits>
#include <ranges>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

/// Types that hold encoded indices.
template <class T>
concept Encodable = std::floating_point<T> || (std::integral<T> && sizeof(T) >= 4);

/// Bits per axis: global indices below 2^this are encoded without loss.
///
/// One bit of the mantissa stays free, because encode adds one. In two dimensions: 11 bits with
/// float, 26 with double, 15 with int.
template <Encodable T>
KOKKOS_FUNCTION constexpr int encoded_bits(int n_dims) {
    return n_dims == 0 ? 0 : (std::numeric_limits<T>::digits - 1) / n_dims;
}

/// A value that identifies its global index. It is never zero, so unwritten memory is not mistaken
/// for element (0, ..., 0). Indices are taken modulo 2^encoded_bits.
template <Encodable T, class... Indices>
KOKKOS_FUNCTION constexpr T encode(const Indices&... indices) {
    constexpr int bits = encoded_bits<T>(sizeof...(Indices));
    constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::uint64_t code = 0;
    ((code =
          (code << bits) | (static_cast<std::uint64_t>(static_cast<std::int64_t>(indices)) & mask)),
     ...);
    return static_cast<T>(code + 1);
}

/// The indices passed to encode(), or an empty vector if the value is no code.
template <Encodable T>
std::vector<std::int64_t> decode(T value, int n_dims) {
    const int bits = encoded_bits<T>(n_dims);
    const T limit = static_cast<T>(std::uint64_t{1} << (bits * n_dims));
    if (!(value >= T{1} && value <= limit) ||
        static_cast<T>(static_cast<std::uint64_t>(value)) != value) {
        return {};
    }
    std::uint64_t code = static_cast<std::uint64_t>(value) - 1;
    std::vector<std::int64_t> indices(static_cast<std::size_t>(n_dims));
    for (std::size_t d = indices.size(); d-- > 0;) {
        indices[d] = static_cast<std::int64_t>(code & ((std::uint64_t{1} << bits) - 1));
        code >>= bits;
    }
    return indices;
}

/// A value that marks memory nobody should read: a NaN that arithmetic does not produce, or a large
/// number for integers.
template <class T>
    requires std::is_arithmetic_v<T>
KOKKOS_FUNCTION constexpr T poison() {
    if constexpr (std::same_as<T, double>) {
        return std::bit_cast<double>(std::uint64_t{0x7ff8dead0000beef});
    } else if constexpr (std::same_as<T, float>) {
        return std::bit_cast<float>(std::uint32_t{0x7fcdbeef});
    } else if constexpr (std::floating_point<T>) {
        return std::numeric_limits<T>::quiet_NaN();
    } else {
        return static_cast<T>(std::numeric_limits<T>::max() - T{2});
    }
}

/// Equal in every bit: NaNs equal themselves, and 0.0 differs from -0.0.
template <class T>
    requires std::is_trivially_copyable_v<T>
bool bits_equal(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
    requires std::is_arithmetic_v<T>
bool is_poison(T value) {
    return bits_equal(value, poison<T>());
}

/// For failure messages: the value, and the index that it encodes in an array of n_dims dimensions.
template <class T>
    requires std::is_arithmetic_v<T>
std::string describe_value(T value, int n_dims) {
    std::ostringstream text;
    text << std::setprecision(std::numeric_limits<T>::max_digits10) << +value;
    if (is_poison(value)) {
        text << " (poison)";
    } else if constexpr (Encodable<T>) {
        const std::vector<std::int64_t> indices = decode(value, n_dims);
        for (std::size_t d = 0; d < indices.size(); ++d) {
            text << (d == 0 ? " (that of (" : ", ") << indices[d];
        }
        text << (indices.empty() ? " (no code)" : "))");
    }
    return text.str();
}

/// Compares two sequences bit by bit; a failure names the first difference and counts them.
template <std::ranges::random_access_range A, std::ranges::random_access_range B>
    requires(std::same_as<std::ranges::range_value_t<A>,
                          std::ranges::range_value_t<B>>)::testing::AssertionResult
all_bits_equal(const A& a, const B& b) {
    const auto n = std::ranges::ssize(a);
    if (n != std::ranges::ssize(b)) {
        return ::testing::AssertionFailure()
               << "sizes differ: " << n << " and " << std::ranges::ssize(b);
    }
    std::int64_t first = -1;
    std::int64_t n_different = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        if (!bits_equal(a[i], b[i])) {
            first = n_different == 0 ? i : first;
            ++n_different;
        }
    }
    if (n_different == 0) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << n_different << " of " << n << " elements differ, the first at " << first << ": "
           << std::setprecision(std::numeric_limits<std::ranges::range_value_t<A>>::max_digits10)
           << a[first] << " and " << b[first];
}

} // namespace distview::testing
