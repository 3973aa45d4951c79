// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/numbers.hpp>
#include <distview/core/assert.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>

namespace distview {

/// Four 32-bit words: the counter and the result of philox4x32().
using PhiloxWords = Kokkos::Array<std::uint32_t, 4>;
/// Two 32-bit words: the key of philox4x32().
using PhiloxKey = Kokkos::Array<std::uint32_t, 2>;

/// Philox4x32-10: computes 128 random bits from a counter and a key, in ten rounds.
///
/// Equal arguments give equal bits on every machine, host or device. No state is kept.
///
/// Collective: no (local)
/// Space:      callable on host and device, constexpr
/// Source:     Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011;
///             the known-answer vectors of their Random123 library are in
///             tests/unit/algorithms/test_random.cpp
KOKKOS_FUNCTION constexpr PhiloxWords philox4x32(PhiloxWords counter, PhiloxKey key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter[2];
        const auto high0 = static_cast<std::uint32_t>(product0 >> 32);
        const auto high1 = static_cast<std::uint32_t>(product1 >> 32);
        counter = {high1 ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
                   high0 ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
        key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
    }
    return counter;
}

/// Element types that fill_random() and fill_random_normal() write.
template <class T>
concept RandomReal = std::same_as<T, float> || std::same_as<T, double>;

namespace impl {

/// The upper 64 bits of the product of two 64-bit numbers.
KOKKOS_FUNCTION constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t low_half = 0xFFFFFFFFu;
    const std::uint64_t a_high = a >> 32;
    const std::uint64_t b_high = b >> 32;
    const std::uint64_t low = (a & low_half) * (b & low_half);
    const std::uint64_t middle = a_high * (b & low_half) + (low >> 32);
    const std::uint64_t other = (a & low_half) * b_high + (middle & low_half);
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

/// The upper `Bits` of 64 random bits, as a multiple of 2^-Bits in [0, 1).
template <RandomReal T>
KOKKOS_FUNCTION constexpr T unit_interval(std::uint64_t bits) noexcept {
    if constexpr (std::same_as<T, float>)
        return static_cast<float>(bits >> 40) * 0x1p-24f;
    else
        return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace impl

/// A sequence of random numbers; each number depends only on seed, stream and its index.
///
/// A stream has no state to advance or to share: any number of threads and processes may compute number `index`, in any
/// order. `stream` selects one of the 2^64 sequences of a seed, for example one for each field or time step; sequences
/// have 2^64 numbers each and do not overlap.
///
///     const RandomStream noise{.seed = 42, .stream = step};
///     for_each_global(exec, u, KOKKOS_LAMBDA(GlobalIndex i) { ... noise.uniform<double>(i) ... });
///
/// Number `index` is computed by philox4x32() from the counter (index, stream) and the key (seed), lower words first.
/// Bits, uniform numbers and integers are the same on every machine, host or device. Normal numbers use the logarithm
/// and the cosine of the platform on which they are computed; their last bits may differ between host and device.
///
/// Collective: no (local)
/// Space:      callable on host and device
struct RandomStream {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;

    /// 128 random bits.
    KOKKOS_FUNCTION constexpr PhiloxWords bits(std::uint64_t index) const noexcept {
        return philox4x32({lower(index), upper(index), lower(stream), upper(stream)},
                          {lower(seed), upper(seed)});
    }

    /// A number in [0, 1): a multiple of 2^-53 for double, of 2^-24 for float, all equally likely.
    template <RandomReal T = double>
    KOKKOS_FUNCTION constexpr T uniform(std::uint64_t index) const noexcept {
        return impl::unit_interval<T>(first_half(bits(index)));
    }

    /// An integer in [low, high), which must not be empty. The probabilities of two integers differ by at most a factor
    /// of 1 + 2^-64.
    template <std::integral T>
    KOKKOS_FUNCTION constexpr T integer(std::uint64_t index, T low, T high) const noexcept {
        DISTVIEW_ASSERT(low < high);
        const PhiloxWords words = bits(index);
        const std::uint64_t count =
            static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
        // The upper 64 of the 192 bits of (128 random bits) * count.
        const std::uint64_t below = first_half(words) * count;
        const std::uint64_t carried =
            below + impl::high_product(second_half(words), count) < below ? 1 : 0;
        const std::uint64_t offset = impl::high_product(first_half(words), count) + carried;
        return static_cast<T>(static_cast<std::uint64_t>(low) + offset);
    }

    /// A number of the normal distribution with mean 0 and standard deviation 1; its magnitude is at most 8.6 (Box and
    /// Muller's transform of two uniform numbers of 53 bits).
    KOKKOS_FUNCTION double normal(std::uint64_t index) const noexcept {
        const PhiloxWords words = bits(index);
        const double u = 1.0 - impl::unit_interval<double>(first_half(words)); // in (0, 1]
        const double v = impl::unit_interval<double>(second_half(words));
        return Kokkos::sqrt(-2.0 * Kokkos::log(u)) * Kokkos::cos(6.283185307179586 * v);
    }

private:
    KOKKOS_FUNCTION static constexpr std::uint32_t lower(std::uint64_t value) noexcept {
        return static_cast<std::uint32_t>(value);
    }
    KOKKOS_FUNCTION static constexpr std::uint32_t upper(std::uint64_t value) noexcept {
        return static_cast<std::uint32_t>(value >> 32);
    }
    KOKKOS_FUNCTION static constexpr std::uint64_t first_half(const PhiloxWords& words) noexcept {
        return (static_cast<std::uint64_t>(words[1]) << 32) | words[0];
    }
    KOKKOS_FUNCTION static constexpr std::uint64_t second_half(const PhiloxWords& words) noexcept {
        return (static_cast<std::uint64_t>(words[3]) << 32) | words[2];
    }
};

namespace impl {

template <RandomReal T>
struct UniformNumbers {
    RandomStream stream;
    KOKKOS_FUNCTION T operator()(std::uint64_t index) const { return stream.uniform<T>(index); }
};

template <std::integral T>
struct IntegerNumbers {
    RandomStream stream;
    T low;
    T high;
    KOKKOS_FUNCTION T operator()(std::uint64_t index) const {
        return stream.integer<T>(index, low, high);
    }
};

template <RandomReal T>
struct NormalNumbers {
    RandomStream stream;
    double mean;
    double deviation;
    KOKKOS_FUNCTION T operator()(std::uint64_t index) const {
        // fma rounds once, whether or not the compiler contracts products and sums.
        return static_cast<T>(Kokkos::fma(deviation, stream.normal(index), mean));
    }
};

/// Calls a function with a cell's number: its position in the whole interior in C order.
template <int Rank, class Numbers>
struct NumberOfCell {
    Numbers numbers;
    std::uint64_t extents[CellBox<Rank>::axes] = {};

    template <class... Indices>
    KOKKOS_FUNCTION auto operator()(Indices... g) const {
        std::uint64_t index = 0;
        [[maybe_unused]] int d = 0;
        ((index = index * extents[d++] + static_cast<std::uint64_t>(g.value())), ...);
        return numbers(index);
    }
};

template <ExecutionSpace Exec, DistViewLike View, class Numbers>
void fill_numbered(const Caller& caller, const Exec& exec, const View& view,
                   const Numbers& numbers) {
    using Function = NumberOfCell<View::rank(), Numbers>;
    Function function{numbers};
    for (int d = 0; d < View::rank(); ++d)
        function.extents[d] = static_cast<std::uint64_t>(view.extent(d));
    with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
        launch_for(
            caller, exec, view, Cells::interior,
            FillWithBody<typename View::view_type, Function, Maps>{view.view(), function, maps});
    });
    note_written(view);
}

} // namespace impl

/// Sets every interior cell to a random number in [0, 1) that depends only on the seed, the stream and the cell's
/// global indices.
///
///     fill_random(exec, u, {.seed = 42});
///
/// The array is the same for any number of processes and threads and any layout: cell (i, j, k) of extents (l, m, n)
/// gets number (i * m + j) * n + k of the stream, see RandomStream::uniform().
///
/// Collective: no (local)
/// Indices:    global, of the interior, in C order whatever the order in memory. On unstructured axes the labels; in
///             arrays of several axes, labels outside [0, extent) may give several cells the same number
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    writes interior cells only: exchange padding or ghosts afterwards
/// Cost:       no allocation, no fence; on a device, an array with a cyclic or unstructured axis needs a DeviceLayout
template <ExecutionSpace Exec, WritableDistView View>
    requires(AccessibleFrom<View, Exec> && RandomReal<typename View::value_type>)
void fill_random(const Exec& exec, const View& view, const RandomStream& stream) {
    static constexpr impl::Caller caller("fill_random");
    impl::fill_numbered(caller, exec, view,
                        impl::UniformNumbers<typename View::value_type>{stream});
}

/// Same, with integers in [low, high), see RandomStream::integer().
///
///     fill_random_integers(exec, dice, {.seed = 42}, 1, 7);
///
/// Collective: no (local)
/// Errors:     UsageError unless low < high
template <ExecutionSpace Exec, WritableDistView View>
    requires(AccessibleFrom<View, Exec> && RealNumber<typename View::value_type> &&
             std::integral<typename View::value_type>)
void fill_random_integers(const Exec& exec, const View& view, const RandomStream& stream,
                          typename View::value_type low, typename View::value_type high) {
    static constexpr impl::Caller caller("fill_random_integers");
    require<UsageError>(low < high, [&] {
        return text(caller.name, ": expected low < high, got [", +low, ", ", +high, ")");
    });
    impl::fill_numbered(caller, exec, view,
                        impl::IntegerNumbers<typename View::value_type>{stream, low, high});
}

/// Same, with numbers of a normal distribution, see RandomStream::normal().
///
/// Collective: no (local)
/// Errors:     UsageError if `deviation` is negative or NaN
template <ExecutionSpace Exec, WritableDistView View>
    requires(AccessibleFrom<View, Exec> && RandomReal<typename View::value_type>)
void fill_random_normal(const Exec& exec, const View& view, const RandomStream& stream,
                        double mean = 0, double deviation = 1) {
    static constexpr impl::Caller caller("fill_random_normal");
    require<UsageError>(deviation >= 0, [&] {
        return text(caller.name, ": expected a standard deviation of at least 0, got ", deviation);
    });
    impl::fill_numbered(caller, exec, view,
                        impl::NormalNumbers<typename View::value_type>{stream, mean, deviation});
}

} // namespace distview
