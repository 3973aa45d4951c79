// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meetings with ranks as threads of one process over plain memory, for ThreadSanitizer.
#include <distview/comm/impl/mpi/meeting.hpp>
#include <distview/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using distview::impl::CallLine;
using distview::impl::Calls;
using distview::impl::Meeting;
using distview::impl::MeetingRecord;

/// Plain memory; only meetings order the accesses to it.
struct Board {
    explicit Board(int count) : numbers(static_cast<std::size_t>(count)) {}
    std::vector<std::uint64_t> numbers;
};

/// Stands for another node, which always agrees, after a delay.
class AgreeingNode final : public distview::impl::NodeExchange {
public:
    MeetingRecord combine(const MeetingRecord& mine) override {
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        return mine;
    }
    void withdraw(const MeetingRecord&) noexcept override {}
    bool has_come(std::uint64_t) override { return false; }
};

/// Thrown by a rank that stops waiting.
struct Interruption {};

struct Results {
    explicit Results(int rounds) : failed(static_cast<std::size_t>(rounds)) {}
    std::atomic<int> wrong{0};
    /// By round: the number of ranks on which the call failed.
    std::vector<std::atomic<int>> failed;
    std::atomic<int> interruptions{0};
    std::atomic<int> left{0}; ///< ranks that make no further call
};

/// The last rank closes the communicator while the others still make calls.
void end_rank(Calls& calls, Meeting& meeting, int count, Results& results) {
    if (calls.rank() == count - 1) {
        calls.close();
        while (results.left < count - 1)
            if (!meeting.refuse()) ++results.wrong;
        return;
    }
    for (int time = 0; time < 3; ++time) {
        calls.enter("late");
        try {
            meeting.meet({}, "step");
            ++results.wrong;
        } catch (const distview::UsageError& error) {
            if (!std::strstr(error.what(), "MPI_Finalize")) ++results.wrong;
        }
        calls.leave({}, true);
    }
    ++results.left;
}

/// In every 50th round one rank makes a different call: all ranks must get an error. In every 7th
/// round one rank, sometimes more, may be interrupted while it waits.
enum class Round { usual, disagree, interrupt };
Round kind_of(int round) {
    if (round % 50 == 49) return Round::disagree;
    return round % 7 == 3 ? Round::interrupt : Round::usual;
}

/// Checks that meetings combine the contributions of all ranks correctly, and that writes before a
/// meeting are visible after it. An interruption must end the call on all ranks or on none.
void run_rank(const std::vector<Calls::Rank>& ranks, Board& board, int me, int rounds,
              bool oversubscribed, distview::impl::NodeExchange* other_node, Results& results) {
    const auto count = static_cast<int>(ranks.size());
    Calls calls(me, ranks, nullptr, oversubscribed);
    Meeting meeting(calls, other_node);
    std::mt19937 random(static_cast<unsigned>(me));
    Round kind = Round::usual;
    int patience = 0;
    bool failed = false;
    calls.set_checks(
        [&] {
            if (kind != Round::interrupt || --patience != 0) return;
            ++results.interruptions;
            throw Interruption();
        },
        [] {});
    for (int round = 0; round < rounds; ++round) {
        if (random() % 16 == 0) std::this_thread::yield();
        kind = kind_of(round);
        patience = me == round % count || random() % 8 == 0 ? static_cast<int>(random() % 3) : 0;
        const auto number = static_cast<std::uint64_t>(round);
        // Only a rank that has met the others knows that they have read its previous number.
        const bool writes = !failed;
        if (writes) board.numbers[static_cast<std::size_t>(me)] = number;
        calls.enter(kind == Round::disagree && me == round % count ? "other" : "usual");
        failed = true;
        try {
            for (int step = 0; step < 3; ++step) {
                MeetingRecord mine;
                mine.least[0] = number * 100 + static_cast<std::uint64_t>(me);
                const MeetingRecord all = meeting.meet(mine, "step");
                if (kind == Round::disagree || all.least[0] != number * 100) ++results.wrong;
                if (step == 0 && writes)
                    for (const std::uint64_t other : board.numbers)
                        if (other != number) ++results.wrong;
            }
            failed = false;
        } catch (const distview::UsageError&) {
        } catch (const Interruption&) { // thrown in the last meeting, after all ranks had met
        }
        if (failed) ++results.failed[number];
        calls.leave({}, failed);
    }
    end_rank(calls, meeting, count, results);
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    bool passed = true;
    for (int count = 2; count <= 6; ++count)
        for (const int setting : {0, 1, 2}) {
            const bool oversubscribed = setting == 1;
            AgreeingNode node;
            distview::impl::NodeExchange* const other_node = setting == 2 ? &node : nullptr;
            std::vector<std::unique_ptr<CallLine>> lines;
            std::vector<Calls::Rank> ranks;
            for (int rank = 0; rank < count; ++rank)
                ranks.push_back({rank, lines.emplace_back(std::make_unique<CallLine>()).get()});
            Board board(count);
            Results results(rounds);
            std::vector<std::thread> threads;
            for (int me = 0; me < count; ++me)
                threads.emplace_back([&, me] {
                    run_rank(ranks, board, me, rounds, oversubscribed, other_node, results);
                });
            for (std::thread& thread : threads) thread.join();
            // A call must fail on all ranks or on none.
            int divided = 0;
            int failed = 0;
            for (int round = 0; round < rounds; ++round) {
                const int on = results.failed[static_cast<std::size_t>(round)];
                divided += on != count && (on != 0 || kind_of(round) == Round::disagree);
                failed += on != 0;
            }
            if (divided > 0 || results.wrong > 0 || failed > rounds / 50 + results.interruptions) {
                std::printf("%d ranks: %d wrong, %d calls ended for some only, %d by an error\n",
                            count, results.wrong.load(), divided, failed);
                passed = false;
            }
        }
    std::puts(passed ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return passed ? 0 : 1;
}
