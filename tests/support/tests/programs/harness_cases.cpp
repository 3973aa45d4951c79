// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that fail on purpose. Each is run alone, by its name; an outer test checks the report of
// the harness.
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#ifdef DISTVIEW_TESTING_WITH_MPI
#include <mpi.h>
#endif

namespace distview::testing {

namespace {

bool is_last_rank() { return rank() == rank_count() - 1; }

void wait_for_all() {
#ifdef DISTVIEW_TESTING_WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
}

/// Called before the job ends: launchers drop output they have not read.
void let_rank_0_print() {
    wait_for_all();
    if (is_last_rank()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

TEST(Everybody, Passes) { EXPECT_LT(rank(), rank_count()); }
TEST(Everybody, PassesToo) { EXPECT_GE(rank(), 0); }
TEST(Everybody, PassesAsWell) { EXPECT_GE(rank_count(), 1); }

TEST(AllRanks, Fail) { FAIL() << "planted failure"; }
TEST(AllRanks, Skip) { GTEST_SKIP() << "nothing to do"; }

TEST(AllRanks, Hang) {
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

TEST(AllRanks, HangBeyondTheirOwnLimit) {
    set_test_timeout(1.5);
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

TEST(LastRank, Fails) { EXPECT_FALSE(is_last_rank()) << "planted failure"; }

TEST(LastRank, FailsFatally) {
    if (is_last_rank()) {
        FAIL() << "planted failure";
    }
}

TEST(LastRank, Throws) {
    if (is_last_rank()) {
        throw std::runtime_error("planted exception");
    }
}

TEST(LastRank, ThrowsWhileOthersWait) {
    if (is_last_rank()) {
        throw std::runtime_error("planted exception");
    }
    wait_for_all();
}

TEST(LastRank, Skips) {
    if (is_last_rank()) {
        GTEST_SKIP() << "nothing to do";
    }
}

TEST(LastRank, Exits) {
    let_rank_0_print();
    if (is_last_rank()) {
        std::_Exit(EXIT_SUCCESS);
    }
    wait_for_all();
}

TEST(LastRank, Crashes) {
    let_rank_0_print();
    if (is_last_rank()) {
        std::abort();
    }
    wait_for_all();
}

TEST(LastRank, FailsInOneCase) {
    for_each_case(10, [](Random&, std::uint64_t i) { EXPECT_FALSE(is_last_rank() && i == 7); });
}

TEST(LastRank, ThrowsInOneCase) {
    for_each_case(10, [](Random&, std::uint64_t i) {
        if (is_last_rank() && i == 7) {
            throw std::runtime_error("planted exception");
        }
    });
}

class LastRankSetUp : public ::testing::Test {
protected:
    static void SetUpTestSuite() { EXPECT_FALSE(is_last_rank()) << "planted failure of set-up"; }
};

TEST_F(LastRankSetUp, Fails) {}

// noinline keeps the lost pointer out of the stack and registers, where the leak checker would find it.
[[gnu::noinline]] void leak_77_bytes() {
    auto* volatile lost = new char[77];
    lost[0] = 'x';
    lost = nullptr;
}

TEST(LastRank, LeaksMemory) {
    if (is_last_rank()) {
        leak_77_bytes();
    }
}

#ifdef DISTVIEW_TESTING_WITH_MPI

TEST(LastRank, LeaksCommunicator) {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    if (!is_last_rank()) {
        MPI_Comm_free(&communicator);
    }
}

TEST(LastRank, AssertsFalseAlone) {
    ASSERT_ON_ALL_RANKS(!is_last_rank());
    MPI_Barrier(MPI_COMM_WORLD);
}

#endif

} // namespace

} // namespace distview::testing
