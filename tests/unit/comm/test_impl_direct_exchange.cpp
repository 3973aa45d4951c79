// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abandoned exchanges between two ranks simulated in this process; for other exchanges see races/comm.
#include <distview/comm/impl/transport/direct_exchange.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <new>

namespace distview::testing {

namespace {

using distview::impl::DirectExchange;
using distview::impl::SyncLine;

/// Rank 1 reads rank 0's memory, or writes to it; rank 0 does neither.
struct TwoRanks {
    explicit TwoRanks(bool writes = false)
        : source({.user = "source", .ready = &ready, .writes = writes}, {}, {{1, &done}}),
          reader({.user = "reader", .writes = writes}, {{0, &ready, &done}}, {}) {}
    SyncLine ready, done;
    DirectExchange source, reader;

    void begin(std::uint64_t epoch) {
        source.begin(epoch);
        reader.begin(epoch);
        ASSERT_EQ(reader.next_arrival(), 0);
    }
};

TEST(DirectExchange, ThatIsGivenUpWhileElementsAreReadIsNotWaitedFor) {
    TwoRanks ranks;
    ranks.begin(1);
    EXPECT_FALSE(ranks.source.readers_done());
    ranks.reader.abandon();
    EXPECT_TRUE(ranks.source.readers_done());
    ranks.source.begin(2);
    EXPECT_THROW(ranks.source.readers_done(), UsageError);
}

TEST(DirectExchange, ThatIsGivenUpBeforeElementsAreWrittenIsNotTakenForDone) {
    TwoRanks ranks(true);
    ranks.begin(1);
    ranks.reader.abandon();
    EXPECT_THROW(ranks.source.readers_done(), UsageError);
    TwoRanks others(true);
    others.begin(1);
    others.reader.end_reading();
    others.reader.abandon();
    EXPECT_TRUE(others.source.readers_done());
    // Abandoned in an exchange of other arrays, with a higher number.
    TwoRanks apart(true);
    apart.source.begin(20);
    apart.reader.begin(21);
    apart.reader.abandon();
    EXPECT_THROW(apart.source.readers_done(), UsageError);
}

// The source may have continued by then, and the line may belong to another plan.
TEST(DirectExchange, ThatIsGivenUpAfterElementsWereReadDoesNotWriteToTheirRank) {
    TwoRanks ranks;
    ranks.begin(7);
    ranks.reader.end_reading();
    EXPECT_TRUE(ranks.source.readers_done());
    ranks.done.epoch = 0; // of the source's new plan
    ranks.reader.abandon();
    EXPECT_EQ(ranks.done.epoch, 0u);
}

// A plan already dropped by its source is executed by mistake and abandoned, while the source's next plan uses its
// lines.
TEST(DirectExchange, OfADroppedPlanDoesNotWriteToLinesOfAnother) {
    TwoRanks ranks;
    ranks.begin(6);
    ranks.reader.end_reading();
    EXPECT_TRUE(ranks.source.readers_done());
    SyncLine* const ready = new (&ranks.ready) SyncLine{.plan = 1};
    SyncLine* const done = new (&ranks.done) SyncLine{.plan = 1};
    DirectExchange source({.user = "source", .ready = ready}, {}, {{1, done}});
    source.begin(1);
    ranks.reader.begin(7);
    ranks.reader.abandon();
    EXPECT_FALSE(source.readers_done());
    ranks.reader.begin(1); // as far as the other plan has come
    EXPECT_EQ(ranks.reader.next_arrival(), 0);
    EXPECT_THROW(ranks.reader.end_reading(), UsageError);
    EXPECT_FALSE(source.readers_done());
    DirectExchange reader({.user = "reader"}, {{0, ready, done}}, {});
    reader.begin(1);
    reader.abandon();
    EXPECT_TRUE(source.readers_done());
}

} // namespace

} // namespace distview::testing
