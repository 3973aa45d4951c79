// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/core/error.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <new>
#include <vector>

namespace distview::testing {

namespace {

struct Note {
    std::int64_t from;
    std::int64_t number;
    std::int32_t to;
};

class SparseExchanges : public ::testing::Test {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const int n = comm.size();
    const int me = comm.rank();

    /// Sends `count(from, to)` numbered notes, and expects all notes of the other ranks, in order.
    template <class Count>
    void exchange(Count&& count,
                  std::size_t piece_bytes = distview::impl::sparse_piece_bytes) const {
        std::vector<Note> notes;
        for (std::int32_t to = 0; to < n; ++to)
            for (std::int64_t i = 0; i < count(me, to); ++i) notes.push_back({me, i, to});
        const auto parcels = [&] {
            return distview::impl::parcels_of(notes, [](const Note& note) { return note.to; });
        };
        std::map<int, std::int64_t> next;
        int wrong = 0;
        distview::impl::exchange_records<Note>(
            comm, "test", parcels,
            [&](int rank, const Note& note) {
                wrong += note.to != me || note.from != rank || note.number != next[rank]++;
            },
            piece_bytes);
        EXPECT_EQ(wrong, 0);
        for (int from = 0; from < n; ++from) {
            EXPECT_EQ(next[from], count(from, me)) << "from " << from;
        }
    }
};

TEST_F(SparseExchanges, NobodyHasAnythingToSay) {
    exchange([](int, int) { return 0; });
}

TEST_F(SparseExchanges, EverybodyTellsEverybody) {
    exchange([](int from, int to) { return 3 + from * 2 + to; });
}

TEST_F(SparseExchanges, OneTellsAll) {
    exchange([](int from, int) { return from == 0 ? 5 : 0; });
}

TEST_F(SparseExchanges, LongMessagesComeInPieces) {
    MpiCounters counters;
    exchange([](int from, int to) { return from == 0 || to == 0 ? 100 : 0; }, 7 * sizeof(Note) + 1);
    const MpiTraffic traffic = counters.stop();
    // 15 pieces of at most 7 notes, and as many acknowledgements.
    std::int64_t messages = 0;
    for (const auto& [rank, sent] : traffic.sent) messages += sent.messages;
    EXPECT_EQ(messages, me == 0 ? 30 * (n - 1) : 30);
}

TEST_F(SparseExchanges, MessagesOfTheNextOneAreNotMistakenForThisOnes) {
    // Fast ranks are well into the next exchange while slow ranks still receive.
    for (int round = 0; round < 200; ++round)
        exchange(
            [=](int from, int to) { return (from * 31 + to * 7 + round) % 5 == 0 ? round : 0; });
}

// More messages at once than MPI has room for; see SparseExchange::most_in_flight.
TEST_F(SparseExchanges, EverySmallPieceIsAMessage) {
    for (int round = 0; round < 5; ++round) exchange([](int, int) { return 400; }, sizeof(Note));
}

TEST_F(SparseExchanges, RandomNumbersOfNotes) {
    for_each_case(50, [&](Random& random, std::uint64_t) {
        std::vector<std::int64_t> counts;
        for (int i = 0; i < n * n; ++i)
            counts.push_back(random.chance(0.5) ? 0 : random.integer(0, 400));
        exchange([&](int from, int to) { return counts[static_cast<std::size_t>(from * n + to)]; },
                 static_cast<std::size_t>(random.integer(24, 3000)));
    });
}

TEST_F(SparseExchanges, FailingToTakeIsThrownOnAllRanksAndKeepsNobodyWaiting) {
    const std::vector<Note> notes(1000, Note{me, 0, n - 1});
    const auto parcels = [&] {
        return distview::impl::parcels_of(notes, [](const Note& note) { return note.to; });
    };
    int taken = 0;
    const auto fail_on_last = [&] {
        distview::impl::exchange_records<Note>(
            comm, "test", parcels,
            [&](int, const Note&) {
                ++taken;
                throw std::bad_alloc();
            },
            1000);
    };
    EXPECT_THROW_ON_ALL_RANKS(fail_on_last(), Error, "out of memory");
    EXPECT_EQ(taken, me == n - 1 ? 1 : 0);
    exchange([](int, int) { return 2; });
}

TEST_F(SparseExchanges, FailingToPrepareIsThrownOnAllRanks) {
    const auto fail_on_last = [&] {
        distview::impl::exchange_records<Note>(
            comm, "test",
            [&]() -> std::vector<distview::impl::Parcel<Note>> {
                if (me == n - 1) throw std::bad_alloc();
                return {};
            },
            [](int, const Note&) {});
    };
    EXPECT_THROW_ON_ALL_RANKS(fail_on_last(), Error, "out of memory");
    exchange([](int, int) { return 2; });
}

} // namespace

} // namespace distview::testing
