// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "adversarial_numbers.hpp"
#include "exact_reference.hpp"

#include <distview/algorithms/impl/exact_cells.hpp>
#include <distview/algorithms/impl/exact_folds.hpp>
#include <distview/algorithms/impl/exact_sum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using impl::exact_block;
using impl::ExactSum;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers(Numbers kind, Random& random, std::int64_t count) {
    const std::uint64_t seed = random.bits();
    std::vector<double> all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(number_at(kind, seed, static_cast<std::uint64_t>(i)));
    random.shuffle(all);
    return all;
}

ReferenceSum reference(const std::vector<double>& all) {
    ReferenceSum sum;
    for (const double x : all) sum.add(x);
    return sum;
}

ReferenceSum reference(const std::vector<double>& x, const std::vector<double>& y) {
    ReferenceSum sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
    return sum;
}

template <bool Wide>
ExactSum<Wide> empty() {
    ExactSum<Wide> sum;
    sum.clear();
    return sum;
}

/// Adds the numbers one by one.
template <bool Wide>
ExactSum<Wide> sum_of(const std::vector<double>& all) {
    ExactSum<Wide> sum = empty<Wide>();
    for (const double x : all) sum.add(x);
    return sum;
}

template <class Sum>
void expect_sum(const Sum& sum, const ReferenceSum& expected, bool and_root) {
    EXPECT_PRED2(same_number, sum.rounded(), expected.rounded());
    if (!and_root) return;
    EXPECT_PRED2(same_number, sum.rounded_root(), expected.rounded_root());
}

} // namespace

TEST(ReferenceSum, rounds_to_nearest_even) {
    const auto rounded = [](std::vector<double> all) { return reference(all).rounded(); };
    EXPECT_EQ(rounded({}), 0.0);
    EXPECT_EQ(rounded({1, 0x1p-53}), 1.0);
    EXPECT_EQ(rounded({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
    EXPECT_EQ(rounded({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
    EXPECT_EQ(rounded({0x1p1023, 0x1p1023}), infinity);
    EXPECT_EQ(rounded({-0x1.fffffffffffffp1023, -0x1p970}), -infinity);
    EXPECT_EQ(rounded({0x1.fffffffffffffp1023, 0x1p970, -0x1p-1074}), 0x1.fffffffffffffp1023);
    ReferenceSum four;
    four.add(4);
    EXPECT_EQ(four.rounded_root(), 2.0);
    four.add_product(0x1p-1074, 0x1p-1074);
    EXPECT_EQ(four.rounded_root(), 2.0);
}

TEST(ExactSum, one_number_is_itself) {
    for_each_case(500, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers()) {
            const double x = number_at(kind, random.bits(), 1);
            const double expected = x == 0 ? 0 : x; // a sum of -0 is +0
            EXPECT_PRED2(same_number, sum_of<false>({x}).rounded(), expected);
            EXPECT_PRED2(same_number, sum_of<true>({x}).rounded(), expected);
        }
    });
}

TEST(ExactSum, rounds_halfway_to_even_and_beyond_up) {
    const auto rounded = [](std::vector<double> all) { return sum_of<false>(all).rounded(); };
    EXPECT_EQ(rounded({1, 0x1p-53}), 1.0);
    EXPECT_EQ(rounded({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
    EXPECT_EQ(rounded({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
    EXPECT_EQ(rounded({1 + 0x1p-52, 0x1p-53, -0x1p-1074}), 1 + 0x1p-52);
    EXPECT_EQ(rounded({1e300, 1, -1e300}), 1.0);
    EXPECT_EQ(rounded({0x1p1023, 0x1p1023}), infinity);
    EXPECT_EQ(rounded({0x1p1023, 0x1p1023, -0x1p1023}), 0x1p1023);
    EXPECT_EQ(rounded({0x1.fffffffffffffp1023, 0x1p970, -0x1p-1074}), 0x1.fffffffffffffp1023);
    EXPECT_FALSE(std::signbit(rounded({-0.0, -0.0})));
    // A product below the range of double rounds to zero with its sign.
    ExactSum<true> least = empty<true>();
    least.add_product(-0x1p-1074, 0x1p-1074);
    EXPECT_PRED2(same_number, least.rounded(), -0.0);
    least.add_product(0x1p-1074, 0x1p-1074);
    EXPECT_PRED2(same_number, least.rounded(), 0.0);
}

TEST(ExactSum, rounds_once_to_float) {
    const auto rounded = [](std::vector<double> all) { return sum_of<false>(all).rounded<float>(); };
    EXPECT_EQ(rounded({1, 0x1p-24}), 1.f);
    EXPECT_EQ(rounded({1, 0x1p-24, 0x1p-1074}), 1 + 0x1p-23f);
    EXPECT_EQ(rounded({1, 0x1p-24, -0x1p-1074}), 1.f);
    EXPECT_EQ(rounded({1 + 0x1p-23, 0x1p-24}), 1 + 0x1p-22f);
    EXPECT_EQ(rounded({0x1p-150}), 0.f);
    EXPECT_EQ(rounded({0x1p-150, 0x1p-1074}), 0x1p-149f);
    EXPECT_EQ(rounded({0x1.fffffep127, 0x1p103}), std::numeric_limits<float>::infinity());
    EXPECT_EQ(rounded({0x1.fffffep127, 0x1p103, -0x1p-1074}), 0x1.fffffep127f);
    EXPECT_EQ(rounded({1e300, -2, -1e300}), -2.f);
    for_each_case(200, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers()) {
            const std::vector<double> all = numbers(kind, random, random.integer(0, 6));
            EXPECT_PRED2(same_number, double{sum_of<false>(all).rounded<float>()},
                         double{reference(all).rounded<float>()});
        }
    });
}

TEST(ExactSum, roots_are_rounded_once) {
    const auto root = [](double x, double y) {
        ExactSum<true> sum = empty<true>();
        sum.add_product(x, y);
        return sum.rounded_root();
    };
    EXPECT_EQ(root(3, 3), 3.0);
    EXPECT_EQ(root(1e200, 1e200), 1e200);
    EXPECT_EQ(root(0x1p-1074, 0x1p-1074), 0x1p-1074);
    EXPECT_EQ(root(0x1p-1074, 3 * 0x1p-1074), 2 * 0x1p-1074);
    EXPECT_EQ(root(2, 1), std::sqrt(2.0));
    EXPECT_EQ(root(infinity, infinity), infinity);
    EXPECT_EQ(root(0, 7), 0.0);
    EXPECT_TRUE(std::isnan(root(0, infinity)));
}

TEST(ExactSum, any_numbers_in_any_order) {
    for_each_case(40, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers()) {
            const std::vector<double> all = numbers(kind, random, random.integer(0, 60));
            expect_sum(sum_of<false>(all), reference(all), false);
            expect_sum(sum_of<true>(all), reference(all), false);
        }
    });
}

TEST(ExactSum, sums_of_parts_add_up) {
    for_each_case(40, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers()) {
            const std::vector<double> all = numbers(kind, random, 60);
            const auto cut = all.begin() + random.integer(0, 61);
            ExactSum<false> sum = sum_of<false>({all.begin(), cut});
            ExactSum<false> other = sum_of<false>({cut, all.end()});
            sum.add(other);
            expect_sum(sum, reference(all), false);
        }
    });
}

// Words without a carry so far, as in a device's tables: 2^26 additions of the same number, and one more.
TEST(ExactSum, carries_wait_for_many_additions) {
    ExactSum<false> sum = empty<false>();
    constexpr double x = 0x1.fffffffffffffp0;
    const std::int64_t count = (std::int64_t{1} << 26) + 1;
    for (std::int64_t i = 0; i < count; ++i) sum.add(-x);
    EXPECT_LT(sum.additions, 2);
    ReferenceSum expected;
    expected.add_product(-x, static_cast<double>(count));
    expect_sum(sum, expected, false);
}

namespace {

/// Splits the numbers into as many rows as fit into a block.
std::vector<impl::NumberRow> rows_of(Random& random, std::vector<double>& x,
                                     std::vector<double>& y) {
    std::vector<impl::NumberRow> rows;
    std::int64_t slots = 0;
    std::size_t begin = 0;
    while (begin < x.size() && slots < exact_block) {
        const auto left = std::min<std::int64_t>(std::ssize(x) - static_cast<std::int64_t>(begin),
                                                 exact_block - slots);
        const auto count =
            static_cast<int>(random.chance(0.3) ? left : random.integer(1, left + 1));
        rows.push_back({x.data() + begin, y.data() + begin, count});
        slots += (count + impl::exact_lanes - 1) / impl::exact_lanes * impl::exact_lanes;
        begin += static_cast<std::size_t>(count);
    }
    x.resize(begin);
    y.resize(begin);
    return rows;
}

} // namespace

TEST(ExactSum, blocks_of_numbers) {
    for_each_case(8, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers()) {
            std::vector<double> all = numbers(kind, random, random.integer(0, exact_block + 1));
            std::vector<double> same = all;
            const auto rows = rows_of(random, all, same);
            ExactSum<false> sum = empty<false>();
            ExactSum<true> wide = empty<true>();
            int bound = static_cast<int>(random.integer(-3000, 3000)); // any initial guess is valid
            int wide_bound = 0;
            // Twice: the second time, the bound is the one from the first block.
            ReferenceSum expected;
            for (int turn = 0; turn < 2; ++turn) {
                impl::add_numbers(sum, bound, rows);
                impl::add_numbers(wide, wide_bound, rows);
                for (const double x : all) expected.add(x);
                expect_sum(sum, expected, false);
                expect_sum(wide, expected, false);
            }
        }
    });
}

TEST(ExactSum, blocks_of_products) {
    for_each_case(4, [](Random& random, std::uint64_t) {
        for (const Numbers kind : all_numbers())
            for (const Numbers other : {kind, random.pick(all_numbers())}) {
                const std::int64_t count = random.integer(0, exact_block + 1);
                std::vector<double> x = numbers(kind, random, count);
                std::vector<double> y = numbers(other, random, count);
                auto rows = rows_of(random, x, y);
                ExactSum<true> sum = empty<true>();
                int bound = static_cast<int>(random.integer(-3000, 3000));
                impl::add_products(sum, bound, rows);
                expect_sum(sum, reference(x, y), false);

                for (impl::NumberRow& row : rows) row.y = row.x;
                ExactSum<true> squares = empty<true>();
                impl::add_products(squares, bound, rows);
                expect_sum(squares, reference(x, x), true);
            }
    });
}

namespace {

std::vector<impl::NumberRow> one_row(const std::vector<double>& x, const std::vector<double>& y) {
    return {{x.data(), y.data(), static_cast<int>(x.size())}};
}

/// Folds and leftovers together must have the exact sum of the numbers, if none is too large for the bound.
template <class Vector>
void check_folds(const std::vector<double>& all, int bound) {
    impl::Leftovers left;
    const auto count = static_cast<int>(all.size());
    const impl::Folds folds =
        impl::fold_numbers<Vector>(one_row(all, all), impl::FoldStarts(bound), left);
    ReferenceSum sum;
    for (const double part : folds.sums) sum.add(part);
    double largest = 0;
    bool anything_left = false;
    for (int i = 0; i < count; ++i) {
        sum.add(left.of_numbers[i]);
        anything_left = anything_left || left.of_numbers[i] != 0;
        largest = std::max(largest, std::abs(all[static_cast<std::size_t>(i)]));
    }
    EXPECT_PRED2(same_number, sum.rounded(), reference(all).rounded());
    EXPECT_EQ(folds.largest, largest);
    EXPECT_EQ(folds.anything_left, anything_left);
}

template <class Vector, bool Fused>
void check_product_folds(const std::vector<double>& x, const std::vector<double>& y, int bound) {
    impl::Leftovers left;
    const auto count = static_cast<int>(x.size());
    const impl::Folds folds =
        impl::fold_products<Vector, Fused>(one_row(x, y), impl::FoldStarts(bound), left);
    EXPECT_FALSE(folds.any_small);
    ReferenceSum sum;
    for (const double part : folds.sums) sum.add(part);
    for (int i = 0; i < count; ++i) {
        sum.add(left.of_numbers[i]);
        sum.add(left.of_errors[i]);
    }
    EXPECT_PRED2(same_number, sum.rounded(), reference(x, y).rounded());
}

} // namespace

// The loops for all kinds of processors; this processor uses the best one in production.
TEST(ExactFolds, lose_nothing) {
    for_each_case(20, [](Random& random, std::uint64_t) {
        const std::int64_t count = random.integer(0, exact_block + 1);
        std::vector<double> x = numbers(Numbers::uniform, random, count);
        for (double& number : x)
            number = std::ldexp(number, static_cast<int>(random.integer(-200, 1)));
        check_folds<impl::Vector16>(x, 0);
        check_folds<impl::Vector32>(x, 0);
        check_folds<impl::Vector64>(x, 3);
        std::vector<double> y = x;
        random.shuffle(y);
        check_product_folds<impl::Vector16, true>(x, y, 0);
        check_product_folds<impl::Vector16, false>(x, y, 0);
        check_product_folds<impl::Vector32, true>(x, y, 2);
        check_product_folds<impl::Vector64, false>(x, y, 0);
    });
}
TEST(ExactFolds, see_products_that_underflow) {
    const std::vector<double> y(20, 0x1p-500);
    for (const double factor : {0x1p-470, -0x1p-1074, 0.0}) {
        std::vector<double> x(20, 1.0);
        x[17] = factor;
        impl::Leftovers left;
        const impl::Folds folds =
            impl::fold_products<impl::Vector32, false>(one_row(x, y), impl::FoldStarts(0), left);
        EXPECT_EQ(folds.any_small, factor != 0);
    }
}

// The computation of one thread on a device.
TEST(Expansion, parts_and_what_is_given_away_are_the_sum) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        ExactSum<false> sum = empty<false>();
        const auto give = [&](double rest) { sum.add_number<impl::AtomicAddition>(rest); };
        impl::Expansion expansion;
        std::vector<double> all = numbers(Numbers::uniform, random, 100);
        for (double& x : all) {
            x = std::ldexp(x, static_cast<int>(random.integer(-1000, 1000)));
            expansion.add(x, give);
        }
        expansion.flush(give);
        expect_sum(sum, reference(all), false);
    });
}

} // namespace distview::testing
