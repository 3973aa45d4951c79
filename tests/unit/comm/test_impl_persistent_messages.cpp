// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/impl/transport/persistent_messages.hpp>
#include <distview/core/error.hpp>

#include <distview_testing/assertions.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::message_memory;
using distview::impl::PersistentMessages;

/// Byte `i` of the message between two processes in one round.
char value(int from, int to, int round, std::size_t i) {
    return static_cast<char>(1 + (from * 31 + to * 7 + round * 3 + static_cast<int>(i % 97)) % 100);
}

// Every process sends a different number of bytes to every process, including itself.
class PersistentMessagesOfAll : public ::testing::Test {
protected:
    static std::size_t bytes(int from, int to) {
        return from > to + 1 ? 0 : static_cast<std::size_t>(8 + 1000 * from + 80 * to);
    }

    void SetUp() override { make(); }
    void make() {
        m_sent_at.clear();
        m_received_at.clear();
        std::size_t sent = 0, received = 0;
        for (int peer = 0; peer < size; ++peer) {
            m_sent_at.push_back(sent);
            m_received_at.push_back(received);
            sent += bytes(rank, peer);
            received += bytes(peer, rank);
        }
        m_sent = message_memory(static_cast<std::int64_t>(sent));
        m_received = message_memory(static_cast<std::int64_t>(received));
        std::vector<PersistentMessages::Message> sends, receives;
        for (int peer = 0; peer < size; ++peer) {
            const auto p = static_cast<std::size_t>(peer);
            sends.push_back({.peer = peer,
                             .data = m_sent.get() + m_sent_at[p],
                             .bytes = static_cast<std::int64_t>(bytes(rank, peer))});
            receives.push_back({.peer = peer,
                                .data = m_received.get() + m_received_at[p],
                                .bytes = static_cast<std::int64_t>(bytes(peer, rank))});
        }
        messages = std::make_unique<PersistentMessages>();
        messages->make({.user = "test", .comm = comm.get(), .tag = 3, .sent = m_sent}, sends,
                       receives);
    }
    void write(int round) const {
        for (int peer = 0; peer < size; ++peer)
            for (std::size_t i = 0; i < bytes(rank, peer); ++i)
                m_sent.get()[m_sent_at[static_cast<std::size_t>(peer)] + i] =
                    value(rank, peer, round, i);
    }
    bool is_here(int peer, int round) const {
        const char* const at = m_received.get() + m_received_at[static_cast<std::size_t>(peer)];
        for (std::size_t i = 0; i < bytes(peer, rank); ++i)
            if (at[i] != value(peer, rank, round, i)) return false;
        return true;
    }

    OwnedComm comm = duplicate_world();
    int rank = world_rank();
    int size = world_size();
    std::unique_ptr<PersistentMessages> messages;

private:
    std::shared_ptr<char> m_sent, m_received;
    std::vector<std::size_t> m_sent_at, m_received_at;
};

TEST_F(PersistentMessagesOfAll, ComeOnceInEveryRound) {
    EXPECT_EQ(messages->left(), 0u);
    EXPECT_EQ(messages->next_received(), PersistentMessages::none_yet);
    for (int round = 0; round < 20; ++round) {
        messages->start_receives();
        write(round);
        messages->start_sends();
        std::vector<int> returned(static_cast<std::size_t>(size), 0);
        for (int left = size; left > 0; --left) {
            EXPECT_EQ(messages->left(), static_cast<std::size_t>(left));
            int message = PersistentMessages::none_yet;
            while (message == PersistentMessages::none_yet) message = messages->next_received();
            const auto m = static_cast<std::size_t>(message);
            EXPECT_EQ(++returned[m], 1);
            EXPECT_TRUE(messages->is_received(m));
            EXPECT_TRUE(is_here(message, round)) << "round " << round << ", process " << message;
        }
        EXPECT_EQ(messages->next_received(), PersistentMessages::none_yet);
        while (!messages->sends_are_done()) {
        }
    }
}

TEST_F(PersistentMessagesOfAll, SayWhenAllAreThere) {
    EXPECT_TRUE(messages->all_arrived());
    messages->start_receives();
    MPI_Barrier(comm.get());
    EXPECT_FALSE(messages->all_arrived()) << "nobody has sent anything";
    MPI_Barrier(comm.get());
    write(1);
    messages->start_sends();
    while (!messages->all_arrived()) {
    }
    for (int i = 0; i < size; ++i)
        EXPECT_NE(messages->next_received(), PersistentMessages::none_yet);
    while (!messages->sends_are_done()) {
    }
}

// Receives without a matching send are cancelled; the memory of sends not received is kept.
TEST_F(PersistentMessagesOfAll, EndWithoutTheOthers) {
    messages->start_receives();
    messages.reset();
    MPI_Barrier(comm.get());
    make();
    messages->start_receives();
    write(5);
    messages->start_sends();
    while (messages->left() > 0) messages->next_received();
    for (int peer = 0; peer < size; ++peer) EXPECT_TRUE(is_here(peer, 5));
    while (!messages->sends_are_done()) {
    }
}

TEST(PersistentMessages, CountInLinesWhatIsTooLongForBytes) {
    const std::int64_t most = std::numeric_limits<int>::max();
    PersistentMessages::require_countable(most + 1, "test");
    PersistentMessages::require_countable(most * 64, "test");
    EXPECT_THROW_ON_ALL_RANKS(PersistentMessages::require_countable(most * 64 + 1, "test"),
                              UsageError, "test: a message of ");
}

// Needs more than 4 GiB: runs only with the long tests.
TEST(PersistentMessages, MayBeLongerThanMpiCounts) {
    if (!std::getenv("DISTVIEW_LONG_MESSAGES")) GTEST_SKIP() << "one of the long tests";
    const std::size_t bytes = (std::size_t{1} << 31) + 4097;
    const OwnedComm comm = duplicate_world();
    const int me = world_rank();
    const auto length = static_cast<std::int64_t>(bytes);
    const std::shared_ptr<char> sent = message_memory(length), received = message_memory(length);
    for (std::size_t i = 0; i < bytes; i += 4096) sent.get()[i] = value(me, me, 0, i);
    sent.get()[bytes - 1] = 'z';
    PersistentMessages messages;
    const PersistentMessages::Message to{.peer = me, .data = sent.get(), .bytes = length};
    const PersistentMessages::Message from{.peer = me, .data = received.get(), .bytes = length};
    messages.make({.user = "test", .comm = comm.get(), .tag = 0, .sent = sent}, {to}, {from});
    messages.start_receives();
    messages.start_sends();
    while (messages.left() > 0) messages.next_received();
    while (!messages.sends_are_done()) {
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i + 1 < bytes; i += 4096)
        wrong += received.get()[i] == value(me, me, 0, i) ? 0u : 1u;
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(received.get()[bytes - 1], 'z');
}

} // namespace

} // namespace distview::testing
