// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/assertions.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace distview::testing {

namespace {

bool is_last_rank() { return rank() == rank_count() - 1; }

std::string last_rank() {
    return "rank " + std::to_string(rank_count() - 1) + " of " + std::to_string(rank_count());
}

TEST(Ranks, GatherInOrder) {
    const std::vector<std::string> texts =
        gather_on_all_ranks(std::string(static_cast<std::size_t>(rank()), 'x'));
    ASSERT_EQ(texts.size(), static_cast<std::size_t>(rank_count()));
    for (std::size_t r = 0; r < texts.size(); ++r) {
        EXPECT_EQ(texts[r], std::string(r, 'x'));
    }
}

TEST(Ranks, AgreeOnTheWorst) {
    EXPECT_TRUE(all_ranks(true));
    EXPECT_FALSE(all_ranks(!is_last_rank()));
    EXPECT_FALSE(all_ranks(false));
}

TEST(AssertOnAllRanks, PassesIfTrueEverywhere) {
    bool reached = false;
    ASSERT_ON_ALL_RANKS(rank() < rank_count()) << "with more to say";
    EXPECT_ON_ALL_RANKS(rank() >= 0);
    if (reached)
        ASSERT_ON_ALL_RANKS(false);
    else
        reached = true;
    EXPECT_TRUE(reached);
}

TEST(AssertOnAllRanks, LeavesOnEveryRank) {
    static bool reached = false;
    EXPECT_FATAL_FAILURE(
        {
            ASSERT_ON_ALL_RANKS(!is_last_rank());
            reached = true;
        },
        "is false on " + last_rank());
    EXPECT_FALSE(reached);
}

TEST(AssertOnAllRanks, TakesAnExceptionForFalse) {
    EXPECT_NONFATAL_FAILURE(
        EXPECT_ON_ALL_RANKS(is_last_rank() ? throw std::runtime_error("planted") : true),
        "throws std::runtime_error: planted on " + last_rank());
}

TEST(ExpectThrowOnAllRanks, PassesForTheSameTextEverywhere) {
    EXPECT_THROW_ON_ALL_RANKS(throw std::out_of_range("the text of it"), std::out_of_range, "text");
    EXPECT_THROW_ON_ALL_RANKS(throw std::out_of_range("the text of it"), std::logic_error, "");
}

TEST(ExpectThrowOnAllRanks, FailsWhereOneRankDoesNotThrow) {
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THROW_ON_ALL_RANKS(if (!is_last_rank()) throw std::out_of_range("text"),
                                  std::out_of_range, "text"),
        "[" + last_rank() + "] threw nothing");
}

TEST(ExpectThrowOnAllRanks, FailsForAnotherTextOrTypeOnOneRank) {
    if (rank_count() == 1) {
        GTEST_SKIP() << "needs two ranks to differ";
    }
    EXPECT_NONFATAL_FAILURE(EXPECT_THROW_ON_ALL_RANKS(
                                throw std::out_of_range(is_last_rank() ? "text, another" : "text"),
                                std::out_of_range, "text"),
                            "[" + last_rank() + "] threw std::out_of_range: text, another");
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THROW_ON_ALL_RANKS(if (is_last_rank()) throw std::invalid_argument("text");
                                  throw std::out_of_range("text"), std::logic_error, "text"),
        "[" + last_rank() + "] threw std::invalid_argument: text");
}

TEST(ExpectThrowOnAllRanks, FailsForAnotherTypeOrTextEverywhere) {
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THROW_ON_ALL_RANKS(throw std::runtime_error("text"), std::logic_error, "text"),
        "threw std::runtime_error: text");
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THROW_ON_ALL_RANKS(throw std::logic_error("text"), std::logic_error, "other"),
        "containing \"other\"");
    EXPECT_NONFATAL_FAILURE(EXPECT_THROW_ON_ALL_RANKS(throw 1, std::logic_error, ""),
                            "threw something that is no std::exception");
}

} // namespace

} // namespace distview::testing
