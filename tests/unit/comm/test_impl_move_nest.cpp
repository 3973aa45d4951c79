// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests large enough to be split into many blocks, with squares that registers transpose,
// remainders, tables and negative strides. Oracle: plain loops, element by element.
#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/move_units.hpp>
#include <distview_testing/random.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::Insert;
using distview::impl::MoveBlock;
using distview::impl::MoveLoop;
using distview::impl::MoveNest;
using distview::impl::Mover;

template <class T>
T number(std::int64_t i) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(i % 113);
    else
        return T(static_cast<double>(i % 113), static_cast<double>(i % 127));
}

/// A source and a target with the same loops, in elements of T.
template <class T>
struct NestCase {
    std::vector<MoveLoop> loops; ///< strides in bytes
    std::vector<std::vector<std::int64_t>> tables;
    std::vector<T> source;
    std::vector<T> target;
    std::int64_t from_begin = 0; ///< bytes
    std::int64_t to_begin = 0;

    /// Axes of a dense box: some with gaps, some in descending order, some by tables.
    explicit NestCase(Random& random) {
        const auto depth = static_cast<std::size_t>(random.integer(0, 6));
        // At most two long axes, so that blocks end inside them.
        std::vector<std::int64_t> counts;
        for (std::size_t d = 0; d < depth; ++d)
            counts.push_back(d < 2 ? random.integer(1, random.chance(0.5) ? 300 : 40)
                                   : random.integer(1, 5));
        random.shuffle(counts);
        std::vector<std::size_t> order(depth);
        std::iota(order.begin(), order.end(), std::size_t{0});
        loops.resize(depth);
        tables.resize(2 * depth);
        const std::size_t elements_from = lay_out(random, counts, order, &MoveLoop::from_stride);
        if (random.chance(0.7)) random.shuffle(order);
        const std::size_t elements_to = lay_out(random, counts, order, &MoveLoop::to_stride);
        for (std::size_t d = 0; d < depth; ++d) {
            MoveLoop& loop = loops[d];
            loop.count = counts[d];
            if (random.chance(0.15)) {
                make_tables(random, d);
                continue;
            }
            if (random.chance(0.2)) reverse(loop, &MoveLoop::from_stride, from_begin);
            if (random.chance(0.2)) reverse(loop, &MoveLoop::to_stride, to_begin);
        }
        for (std::size_t i = 0; i < elements_from; ++i)
            source.push_back(number<T>(static_cast<std::int64_t>(i)));
        for (std::size_t i = 0; i < elements_to; ++i)
            target.push_back(number<T>(static_cast<std::int64_t>(3 * i)));
    }

    template <class Visit>
    void for_each_element(Visit&& visit, std::size_t d = 0, std::int64_t from = 0,
                          std::int64_t to = 0) const {
        if (d == loops.size()) return visit(from_begin + from, to_begin + to);
        for (std::int64_t i = 0; i < loops[d].count; ++i)
            for_each_element(visit, d + 1, from + loops[d].from(i), to + loops[d].to(i));
    }

    template <class MoverType>
    std::vector<T> run(Random& random, const MoverType& mover, bool prefetches) const {
        std::vector<T> result = target;
        MoveNest nest(reinterpret_cast<const char*>(source.data()) + from_begin,
                      reinterpret_cast<char*>(result.data()) + to_begin);
        for (const MoveLoop& loop : loops) nest.add(loop);
        nest.arrange(sizeof(T));
        std::int64_t elements = 0;
        for (std::int64_t first = 0; first < nest.block_count();) {
            const std::int64_t count = std::min(random.integer(1, 20), nest.block_count() - first);
            MoveNest::Blocks blocks(nest, first, count);
            for (MoveBlock block; blocks.next(block);) {
                if (!impl::move_squares(mover, block, prefetches)) impl::move_rows(mover, block);
                elements += block.outer.count * block.inner.count;
            }
            first += count;
        }
        impl::end_streaming();
        EXPECT_EQ(elements, nest.elements());
        return result;
    }

private:
    std::size_t lay_out(Random& random, const std::vector<std::int64_t>& counts,
                        const std::vector<std::size_t>& order, std::int64_t MoveLoop::* stride) {
        std::int64_t next = random.chance(0.8) ? 1 : random.integer(1, 4);
        for (const std::size_t d : order) {
            loops[d].*stride = next * static_cast<std::int64_t>(sizeof(T));
            next = next * counts[d] + (random.chance(0.6) ? 0 : random.integer(0, 9));
        }
        return static_cast<std::size_t>(std::max<std::int64_t>(next, 1));
    }
    static void reverse(MoveLoop& loop, std::int64_t MoveLoop::* stride, std::int64_t& begin) {
        begin += (loop.count - 1) * (loop.*stride);
        loop.*stride = -(loop.*stride);
    }
    void make_tables(Random& random, std::size_t d) {
        MoveLoop& loop = loops[d];
        for (std::int64_t i = 0; i < loop.count; ++i) {
            tables[2 * d].push_back(i * loop.from_stride);
            tables[2 * d + 1].push_back(i * loop.to_stride);
        }
        random.shuffle(tables[2 * d]);
        random.shuffle(tables[2 * d + 1]);
        loop = {loop.count, 0, 0, tables[2 * d].data(), tables[2 * d + 1].data()};
    }
};

template <class T>
class MoveNests : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::int16_t, float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(MoveNests, Types);

TYPED_TEST(MoveNests, MoveEachElementOnce) {
    using T = TypeParam;
    for_each_case(120, [&](Random& random, std::uint64_t) {
        const NestCase<T> nest(random);
        std::vector<T> inserted = nest.target;
        std::vector<T> added = nest.target;
        nest.for_each_element([&](std::int64_t from, std::int64_t to) {
            const auto size = static_cast<std::int64_t>(sizeof(T));
            const T value = nest.source[static_cast<std::size_t>(from / size)];
            inserted[static_cast<std::size_t>(to / size)] = value;
            T& sum = added[static_cast<std::size_t>(to / size)];
            sum = static_cast<T>(sum + value);
        });
        const auto add = [](const T& here, const T& incoming) {
            return static_cast<T>(here + incoming);
        };
        for (const bool prefetches : {false, true}) {
            for (const bool streams : {false, true}) {
                const Mover<T, T, Insert> insert{{}, false, streams};
                EXPECT_TRUE(nest.run(random, insert, prefetches) == inserted);
            }
            const Mover<T, T, decltype(add)> adding{add, false, false};
            EXPECT_TRUE(nest.run(random, adding, prefetches) == added);
        }
    });
}

TEST(MoveNest, OfNoElementsHasNoBlocks) {
    double value = 0;
    auto* const data = reinterpret_cast<char*>(&value);
    MoveNest nest(data, data);
    nest.add({5, 8, 8});
    nest.add({0, 40, 40});
    nest.arrange(8);
    EXPECT_EQ(nest.block_count(), 0);
    EXPECT_EQ(nest.elements(), 0);
}

TEST(MoveNest, OfNoLoopsIsOneElement) {
    const double from = 3;
    double to = 0;
    MoveNest nest(reinterpret_cast<const char*>(&from), reinterpret_cast<char*>(&to));
    nest.arrange(8);
    MoveNest::Blocks blocks(nest, 0, nest.block_count());
    for (MoveBlock block; blocks.next(block);)
        impl::move_rows(Mover<double, double, Insert>{}, block);
    EXPECT_EQ(nest.elements(), 1);
    EXPECT_EQ(to, 3);
}

#ifndef __CUDACC__ // nvcc's code transposes nothing in registers
/// A square inside larger memory on either side.
template <class T>
void check_square() {
    constexpr std::int64_t edge = impl::line_elements<sizeof(T)>;
    constexpr std::int64_t pitch = edge + 3;
    std::vector<T> from(edge * pitch), to(edge * pitch, number<T>(-1));
    for (std::int64_t i = 0; i < edge * pitch; ++i)
        from[static_cast<std::size_t>(i)] = number<T>(i);
    constexpr auto stride = static_cast<std::int64_t>(pitch * sizeof(T));
    impl::transpose_lines<sizeof(T)>(reinterpret_cast<const char*>(from.data()), stride,
                                     reinterpret_cast<char*>(to.data()), stride);
    for (std::int64_t i = 0; i < edge; ++i)
        for (std::int64_t j = 0; j < pitch; ++j)
            EXPECT_EQ(to[static_cast<std::size_t>(i * pitch + j)],
                      j < edge ? number<T>(j * pitch + i) : number<T>(-1));
}

TEST(MoveNest, TransposesSquaresOfLines) {
    if constexpr (impl::transposes_lines<8>) {
        check_square<float>();
        check_square<double>();
        check_square<Kokkos::complex<double>>();
    }
}
#endif

} // namespace

} // namespace distview::testing
