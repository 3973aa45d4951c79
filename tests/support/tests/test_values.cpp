// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace distview::testing {

namespace {

using Indices = std::vector<std::int64_t>;

template <class T>
class EncodedValues : public ::testing::Test {};

using EncodedTypes = ::testing::Types<float, double, std::int32_t, std::int64_t, std::uint32_t>;
TYPED_TEST_SUITE(EncodedValues, EncodedTypes);

TYPED_TEST(EncodedValues, ComeBackUpToTheCapacity) {
    const std::int64_t last = (std::int64_t{1} << encoded_bits<TypeParam>(1)) - 1;
    for (const std::int64_t g : {std::int64_t{0}, std::int64_t{1}, last / 2, last}) {
        EXPECT_EQ(decode(encode<TypeParam>(g), 1), (Indices{g}));
    }
    const std::int64_t last_3d = (std::int64_t{1} << encoded_bits<TypeParam>(3)) - 1;
    EXPECT_EQ(decode(encode<TypeParam>(last_3d, 0, last_3d), 3), (Indices{last_3d, 0, last_3d}));
    EXPECT_EQ(decode(encode<TypeParam>(0, last_3d, 1), 3), (Indices{0, last_3d, 1}));
}

TYPED_TEST(EncodedValues, AreDistinctAndNotZero) {
    std::set<TypeParam> values;
    for (int g0 = 0; g0 < 40; ++g0) {
        for (int g1 = 0; g1 < 50; ++g1) {
            values.insert(encode<TypeParam>(g0, g1));
        }
    }
    EXPECT_EQ(values.size(), 2000U);
    EXPECT_EQ(values.count(TypeParam{0}), 0U);
}

TYPED_TEST(EncodedValues, OtherValuesAreNoCodes) {
    EXPECT_TRUE(decode(TypeParam{0}, 2).empty());
    EXPECT_TRUE(decode(poison<TypeParam>(), 2).empty());
    if constexpr (std::numeric_limits<TypeParam>::is_signed) {
        EXPECT_TRUE(decode(TypeParam{-1}, 2).empty());
    }
    if constexpr (std::floating_point<TypeParam>) {
        EXPECT_TRUE(decode(TypeParam{1.5}, 2).empty());
        EXPECT_TRUE(decode(std::numeric_limits<TypeParam>::infinity(), 2).empty());
    }
}

TEST(EncodedValue, IsAConstantExpression) {
    static_assert(encode<double>(0, 0) == 1.0);
    static_assert(encode<double>(1, 2) == 67108864.0 + 3.0);
    static_assert(encode<int>() == 1);
}

TEST(Poison, IsANanOfItsOwn) {
    EXPECT_TRUE(std::isnan(poison<double>()));
    EXPECT_TRUE(std::isnan(poison<float>()));
    EXPECT_TRUE(is_poison(poison<double>()));
    EXPECT_TRUE(is_poison(poison<float>()));
    EXPECT_TRUE(is_poison(poison<int>()));
    EXPECT_FALSE(is_poison(std::numeric_limits<double>::quiet_NaN()));
    EXPECT_FALSE(is_poison(std::numeric_limits<float>::quiet_NaN()));
}

TEST(BitsEqual, SeesWhatOperatorEqualsDoesNot) {
    EXPECT_TRUE(bits_equal(poison<double>(), poison<double>()));
    EXPECT_FALSE(bits_equal(0.0, -0.0));
    EXPECT_FALSE(bits_equal(1.0, std::nextafter(1.0, 2.0)));
}

TEST(AllBitsEqual, NamesTheFirstDifference) {
    const std::vector<double> a{1, 2, 3, 4};
    EXPECT_TRUE(all_bits_equal(a, a));
    const auto result = all_bits_equal(a, std::vector<double>{1, 2, 5, 6});
    EXPECT_FALSE(result);
    EXPECT_STREQ(result.message(), "2 of 4 elements differ, the first at 2: 3 and 5");
    EXPECT_FALSE(all_bits_equal(a, std::vector<double>{1, 2, 3}));
}

TEST(DescribeValue, SaysWhereAValueBelongs) {
    EXPECT_EQ(describe_value(encode<double>(3, 5), 2), "201326598 (that of (3, 5))");
    EXPECT_EQ(describe_value(0.0, 2), "0 (no code)");
    EXPECT_NE(describe_value(poison<float>(), 2).find("poison"), std::string::npos);
}

} // namespace

} // namespace distview::testing
