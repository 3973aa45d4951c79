// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meetings with ranks as threads of one process over plain memory, for ThreadSanitizer.
#include <distview/comm/impl/meeting.hpp>
#include <distview/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using distview::impl::CallLine;
using distview::impl::Calls;
using distview::impl::Meeting;
using distview::impl::MeetingRecord;

/// Ordinary memory, which a meeting orders.
struct Board {
    explicit Board(int count) : numbers(static_cast<std::size_t>(count)) {}
    std::vector<std::uint64_t> numbers;
};

struct Results {
    std::atomic<int> wrong{0};
    std::atomic<int> errors{0};
};

/// What all bring together is right, and what others wrote before a meeting is seen after it. Every now and
/// then one rank makes another call: all ranks get an error.
void run_rank(const std::vector<Calls::Rank>& ranks, Board& board, int me, int rounds, bool crowded,
              Results& results) {
    const auto count = static_cast<int>(ranks.size());
    Calls calls(me, ranks, nullptr, crowded);
    Meeting meeting(calls, nullptr);
    std::mt19937 random(static_cast<unsigned>(me));
    for (int round = 0; round < rounds; ++round) {
        if (random() % 16 == 0) std::this_thread::yield();
        const bool disagree = round % 50 == 49;
        const auto number = static_cast<std::uint64_t>(round);
        board.numbers[static_cast<std::size_t>(me)] = number;
        calls.enter(disagree && me == round % count ? "other" : "usual");
        bool failed = false;
        try {
            for (int step = 0; step < 3; ++step) {
                MeetingRecord mine;
                mine.least[0] = number * 100 + static_cast<std::uint64_t>(me);
                mine.flags = ~(std::uint64_t{1} << me);
                const MeetingRecord all = meeting.meet(mine, "step");
                const std::uint64_t none = ~((std::uint64_t{1} << count) - 1);
                if (disagree || all.least[0] != number * 100 || all.flags != none) ++results.wrong;
                if (step == 0)
                    for (const std::uint64_t other : board.numbers)
                        if (other != number) ++results.wrong;
            }
        } catch (const distview::UsageError&) {
            failed = true;
            ++results.errors;
            if (!disagree) ++results.wrong;
        }
        calls.leave({}, failed);
    }
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    bool passed = true;
    for (int count = 2; count <= 6; ++count)
        for (const bool crowded : {false, true}) {
            std::vector<std::unique_ptr<CallLine>> lines;
            std::vector<Calls::Rank> ranks;
            for (int rank = 0; rank < count; ++rank)
                ranks.push_back({rank, lines.emplace_back(std::make_unique<CallLine>()).get()});
            Board board(count);
            Results results;
            std::vector<std::thread> threads;
            for (int me = 0; me < count; ++me)
                threads.emplace_back(
                    [&, me] { run_rank(ranks, board, me, rounds, crowded, results); });
            for (std::thread& thread : threads) thread.join();
            if (results.wrong > 0 || results.errors != count * (rounds / 50)) {
                std::printf("%d ranks: %d wrong, %d errors\n", count, results.wrong.load(),
                            results.errors.load());
                passed = false;
            }
        }
    std::puts(passed ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return passed ? 0 : 1;
}
