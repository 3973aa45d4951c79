// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direct exchange with ranks as threads of one process over plain memory, for ThreadSanitizer, which cannot observe
// several processes. Every rank has a few numbers that all others read in place.
#include <distview/comm/impl/transport/direct_exchange.hpp>
#include <distview/core/error.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using distview::impl::DirectExchange;
using distview::impl::SyncLine;
using distview::impl::Waiter;

constexpr int numbers_each = 16;

/// The data of a rank that others read: numbers, and lines in the order of PlanLines.
struct Rank {
    std::vector<std::uint64_t> numbers = std::vector<std::uint64_t>(numbers_each);
    SyncLine ready;
    std::unique_ptr<SyncLine[]> done; ///< by reader
};

std::uint64_t number(int rank, std::uint64_t epoch, int i) {
    return epoch * 1'000'000 + static_cast<std::uint64_t>(rank) * 1000 +
           static_cast<std::uint64_t>(i);
}

DirectExchange make_exchange(std::vector<Rank>& ranks, int me, bool oversubscribed) {
    std::vector<DirectExchange::Source> sources;
    std::vector<DirectExchange::Reader> readers;
    for (int peer = 0; peer < static_cast<int>(ranks.size()); ++peer) {
        if (peer == me) continue;
        Rank& other = ranks[static_cast<std::size_t>(peer)];
        sources.push_back({peer, &other.ready, &other.done[static_cast<std::size_t>(me)]});
        readers.push_back(
            {peer, &ranks[static_cast<std::size_t>(me)].done[static_cast<std::size_t>(peer)]});
    }
    return {{.user = "test",
             .ready = &ranks[static_cast<std::size_t>(me)].ready,
             .oversubscribed = oversubscribed},
            std::move(sources),
            std::move(readers)};
}

void wait_for_readers(DirectExchange& exchange, Waiter& waiter) {
    while (!exchange.readers_done()) exchange.wait(waiter);
}

/// Exchanges repeatedly as one rank; returns the number of wrong numbers.
int run_rank(std::vector<Rank>& ranks, int me, std::uint64_t epochs, bool oversubscribed) {
    std::mt19937 random(static_cast<unsigned>(me));
    DirectExchange exchange = make_exchange(ranks, me, oversubscribed);
    std::vector<std::uint64_t>& mine = ranks[static_cast<std::size_t>(me)].numbers;
    int wrong = 0;
    for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
        for (int i = 0; i < numbers_each; ++i)
            mine[static_cast<std::size_t>(i)] = number(me, epoch, i);
        if (random() % 8 == 0) std::this_thread::yield();
        Waiter waiter(oversubscribed);
        exchange.begin(epoch);
        while (exchange.left() > 0) {
            const int source = exchange.next_arrival();
            if (source < 0) {
                exchange.wait(waiter);
                continue;
            }
            const int peer = exchange.sources()[static_cast<std::size_t>(source)].peer;
            const auto& theirs = ranks[static_cast<std::size_t>(peer)].numbers;
            for (int i = 0; i < numbers_each; ++i)
                wrong += theirs[static_cast<std::size_t>(i)] != number(peer, epoch, i);
        }
        exchange.end_reading();
        wait_for_readers(exchange, waiter);
    }
    return wrong;
}

/// Checks that all other ranks get an error, and none waits forever, after one rank has abandoned the exchange.
bool others_learn_that_one_gave_up() {
    constexpr int count = 4;
    std::vector<Rank> ranks(count);
    for (Rank& rank : ranks) rank.done = std::make_unique<SyncLine[]>(count);
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int me = 0; me < count; ++me)
        threads.emplace_back([&, me] {
            DirectExchange exchange = make_exchange(ranks, me, true);
            Waiter waiter(true);
            if (me == 0) {
                exchange.begin(1);
                exchange.abandon();
                return;
            }
            try {
                for (std::uint64_t epoch = 1; epoch < 3; ++epoch) {
                    exchange.begin(epoch);
                    while (exchange.left() > 0)
                        if (exchange.next_arrival() < 0) exchange.wait(waiter);
                    exchange.end_reading();
                    wait_for_readers(exchange, waiter);
                }
            } catch (const distview::UsageError&) {
                exchange.abandon();
                ++refused;
            }
        });
    for (std::thread& thread : threads) thread.join();
    return refused == count - 1;
}

} // namespace

int main(int argc, char** argv) {
    const std::uint64_t epochs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300;
    int wrong = 0;
    for (int count = 2; count <= 8; ++count)
        for (const bool oversubscribed : {false, true}) {
            std::vector<Rank> ranks(static_cast<std::size_t>(count));
            for (Rank& rank : ranks)
                rank.done = std::make_unique<SyncLine[]>(static_cast<std::size_t>(count));
            std::atomic<int> wrong_here{0};
            std::vector<std::thread> threads;
            for (int me = 0; me < count; ++me)
                threads.emplace_back(
                    [&, me] { wrong_here += run_rank(ranks, me, epochs, oversubscribed); });
            for (std::thread& thread : threads) thread.join();
            wrong += wrong_here;
        }
    const bool told = others_learn_that_one_gave_up();
    if (wrong > 0) std::printf("%d numbers were wrong\n", wrong);
    if (!told) std::printf("not every rank learnt that one gave up\n");
    const bool passed = wrong == 0 && told;
    std::puts(passed ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return passed ? 0 : 1;
}
