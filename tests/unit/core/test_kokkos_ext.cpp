// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/kokkos_ext.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace distview::testing {

namespace {

// 1024^3 items fit. Just below 2^31 they do not: a reduction rounds up by about a million.
TEST(KokkosExt, ChoosesThirtyTwoBitsWhereRoundingUpFits) {
    using distview::impl::fits_in_32_bits;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    EXPECT_TRUE(fits_in_32_bits(0));
    EXPECT_TRUE(fits_in_32_bits(std::int64_t{1024} * 1024 * 1024));
    EXPECT_FALSE(fits_in_32_bits(most - 65536 - 1));
    EXPECT_FALSE(fits_in_32_bits(most));
    EXPECT_FALSE(fits_in_32_bits(most + 1));
}

} // namespace

} // namespace distview::testing
