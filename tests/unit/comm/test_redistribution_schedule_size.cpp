// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of partners, bytes and pieces in schedules: compared with published formulas if they
// exist, and with bounds on their growth.
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Message = RedistributionSchedule::Message;

/// C (n x m) = A (m x n) transposed, on the same process grid: A in blocks of mb x nb, C of nb x mb.
RedistributionSchedule transposition(std::int64_t m, std::int64_t n, std::int64_t mb,
                                     std::int64_t nb, int p, int q) {
    const ProcessGrid grid{p, q};
    return {ArrayLayout(grid, {block_cyclic(m, mb), block_cyclic(n, nb)}),
            ArrayLayout(grid, {block_cyclic(n, nb), block_cyclic(m, mb)}),
            {.permutation = {1, 0}}};
}

// HPCC's PTRANS on P x Q processes, L = lcm(P, Q): each process sends to (L/P) (L/Q) processes, itself included if it
// occurs, and keeps one in L elements, if the number of blocks is a multiple of L.
TEST(RedistributionScheduleSize, OfTranspositionsIsAsTheFormulaSays) {
    for (const auto& [p, q] : std::vector<std::pair<int, int>>{{1, 1},
                                                               {1, 2},
                                                               {2, 1},
                                                               {2, 2},
                                                               {2, 3},
                                                               {3, 2},
                                                               {2, 4},
                                                               {4, 2},
                                                               {4, 6},
                                                               {3, 5},
                                                               {6, 6}}) {
        const int l = std::lcm(p, q);
        const std::int64_t mb = 3;
        const std::int64_t nb = 4;
        const std::int64_t m = mb * l * 2;
        const std::int64_t n = nb * l * 3;
        const RedistributionSchedule schedule = transposition(m, n, mb, nb, p, q);
        EXPECT_EQ(schedule.elements(), m * n);
        EXPECT_EQ(schedule.wire_elements(), m * n - m * n / l) << p << " x " << q;
        for (int process = 0; process < p * q; ++process) {
            const std::size_t partners = std::size_t(l / p) * std::size_t(l / q);
            EXPECT_EQ(schedule.receives(process).size(), partners) << p << " x " << q;
            EXPECT_EQ(schedule.sends(process).size(), partners) << p << " x " << q;
        }
    }
}

// For other transpositions, the oracle is a count element by element.
TEST(RedistributionScheduleSize, OfOtherTranspositionsIsAsCounted) {
    for (const auto& [p, q] : std::vector<std::pair<int, int>>{{1, 2}, {2, 3}, {4, 2}, {3, 5}})
        for (const std::int64_t m : {7, 10, 61})
            for (const std::int64_t n : {5, 10, 100}) {
                constexpr std::int64_t mb = 4;
                constexpr std::int64_t nb = 3;
                const RedistributionSchedule schedule = transposition(m, n, mb, nb, p, q);
                std::map<std::pair<int, int>, std::int64_t> counts; // by target and source
                std::int64_t wire = 0;
                for (std::int64_t i = 0; i < m; ++i)
                    for (std::int64_t j = 0; j < n; ++j) {
                        const auto from = static_cast<int>((i / mb % p) * q + j / nb % q);
                        const auto to = static_cast<int>((j / nb % p) * q + i / mb % q);
                        ++counts[{to, from}];
                        wire += to != from;
                    }
                EXPECT_EQ(schedule.wire_elements(), wire);
                for (int to = 0; to < p * q; ++to) {
                    std::vector<Message> expected;
                    for (int from = 0; from < p * q; ++from)
                        if (const auto found = counts.find({to, from}); found != counts.end())
                            expected.push_back({from, found->second});
                    EXPECT_EQ(schedule.receives(to), expected);
                }
            }
}

std::size_t run_count(const RedistributionRuns& runs) {
    std::size_t count = 0;
    for (const auto& list : runs.axes) count += list.size();
    return count;
}

/// The number of pieces in all messages of one process.
std::int64_t piece_count(const RedistributionSchedule& schedule, const RedistributionRuns& runs) {
    std::int64_t count = 0;
    for (const Message& message : schedule.messages(runs))
        schedule.for_each_piece(runs, message.peer, [&](const RedistributionPiece&) { ++count; });
    return count;
}

// One period is stored, whatever the number of periods.
TEST(RedistributionScheduleSize, DoesNotGrowWithTheArray) {
    for (const std::int64_t n : {4096, 4096 * 1024, 4096 * 262144}) {
        const RedistributionSchedule transposed = transposition(n, n, 64, 64, 1, 2);
        const RedistributionRuns runs = transposed.runs_to(1);
        EXPECT_EQ(run_count(runs), 3u);
        EXPECT_EQ(piece_count(transposed, runs), 2);
        const ProcessGrid grid{2, 2};
        const RedistributionSchedule dealt(ArrayLayout(grid, {cyclic(n), cyclic(n)}),
                                           ArrayLayout(grid, {block(n), block(n)}));
        EXPECT_EQ(run_count(dealt.runs_to(0)), 4u);
        EXPECT_EQ(piece_count(dealt, dealt.runs_to(3)), 4);
        const RedistributionSchedule halved(
            ArrayLayout(grid, {block_cyclic(n, 128), block_cyclic(n, 128)}),
            ArrayLayout(grid, {block_cyclic(n, 64), block_cyclic(n, 64)}));
        EXPECT_EQ(piece_count(halved, halved.runs_from(3)), 4);
    }
}

/// Heap bytes of the schedule of one process, including its messages, and the number of its peers.
std::pair<std::int64_t, std::size_t> cost_of(const RedistributionSchedule& schedule, int process) {
    CountAllocations counter;
    const RedistributionRuns to = schedule.runs_to(process);
    const RedistributionRuns from = schedule.runs_from(process);
    const std::vector<Message> receives = schedule.messages(to);
    const std::vector<Message> sends = schedule.messages(from);
    const AllocationCounts counts = counter.stop();
    return {counts.heap_bytes, receives.size() + sends.size()};
}

TEST(RedistributionScheduleSize, OfAMillionProcessesIsThatOfItsPeers) {
    constexpr std::int64_t n = 1000000;
    const ProcessGrid grid{1000, 1000};
    const ProcessGrid slabs{1000000, 1};
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < 1000; ++p) bounds.push_back(bounds.back() + 998 + p % 5);
    const ArrayLayout blocks(grid, {block(n), block(n)});
    const ArrayLayout uneven(grid, {block_bounds(bounds), block_bounds(bounds)});
    const ArrayLayout coarse(grid, {block_cyclic(n, 64), block_cyclic(n, 64)});
    const ArrayLayout fine(grid, {block_cyclic(n, 32), block_cyclic(n, 32)});
    const ArrayLayout rows(slabs, {block(n), block(n)});
    const RedistributionOptions transposed{.permutation = {1, 0}};
    struct Case {
        const char* name;
        RedistributionSchedule schedule;
        std::size_t most_peers;
    };
    const std::vector<Case> cases{
        {"transposed", RedistributionSchedule(blocks, blocks, transposed), 2},
        {"blocks to uneven", RedistributionSchedule(blocks, uneven), 2 * 9},
        {"uneven to blocks, transposed", RedistributionSchedule(uneven, blocks, transposed), 2 * 9},
        {"transposed block-cyclic", RedistributionSchedule(coarse, coarse, transposed), 2},
        {"halved blocks", RedistributionSchedule(coarse, fine), 2 * 4},
        {"blocks to block-cyclic", RedistributionSchedule(blocks, coarse), 2 * 17 * 17},
        {"rows to blocks", RedistributionSchedule(rows, blocks), 1000 + 1000}};
    for (const Case& c : cases)
        for (const int process : {0, 1, 999, 1000, 500500, 999999}) {
            const auto [bytes, peers] = cost_of(c.schedule, process);
            EXPECT_GE(peers, 2u) << c.name;
            EXPECT_LE(peers, c.most_peers) << c.name << ", process " << process;
            // Lists of runs are built by appending, which allocates twice the memory that stays.
            EXPECT_LT(bytes, 8192 + 1024 * static_cast<std::int64_t>(peers))
                << c.name << ", process " << process << ", " << peers << " peers";
        }
}

// 4096 x 4096 from cyclic to blocks: the computation of a plan for one process.
TEST(RedistributionScheduleSize, OfOneProcessTakesFewAllocations) {
    const ProcessGrid grid{1, 2};
    const ArrayLayout from(grid, {block_cyclic(4096, 1), block_cyclic(4096, 1)});
    const ArrayLayout to(grid, {block(4096), block(4096)});
    CountAllocations counter;
    const RedistributionSchedule schedule(from, to);
    const RedistributionRuns runs = schedule.runs_to(1);
    const AllocationCounts counts = counter.stop();
    EXPECT_EQ(piece_count(schedule, runs), 2);
    EXPECT_LT(counts.heap, 40) << counts.description;
    EXPECT_LT(counts.heap_bytes, 8192) << counts.description;
}

// Totals over all processes are counted per coordinate, not per pair of processes.
TEST(RedistributionScheduleSize, CountsTheWireOfManyProcesses) {
    // 3000 blocks along each axis, on 300 x 250 processes: L = 1500.
    const RedistributionSchedule schedule = transposition(6000, 9000, 2, 3, 300, 250);
    EXPECT_EQ(schedule.wire_elements(), 6000 * 9000 - 6000 * 9000 / 1500);
    EXPECT_EQ(schedule.receives(12345).size(), 5u * 6u);
}

} // namespace

} // namespace distview::testing
