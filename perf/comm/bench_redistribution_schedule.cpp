// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of single processes of large grids, for redistributions: time and memory may grow only with the
// number of real partners of the process. No communication; every rank does the same.

#include "allocated_bytes.hpp"
#include "perf.hpp"

#include <distview/comm/redistribution_schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

/// Two layouts of one array.
struct Case {
    std::string name;
    ArrayLayout from;
    ArrayLayout to;
    RedistributionOptions options{};
};

/// The parts of a schedule that a plan needs for one process: its runs, and the elements of each of its messages.
struct Built {
    std::int64_t received = 0;
    std::int64_t sent = 0;
    std::size_t partners = 0;
};
Built build(const Case& c, int process) {
    const RedistributionSchedule schedule(c.from, c.to, c.options);
    Built result;
    for (const auto& message : schedule.messages(schedule.runs_to(process))) {
        result.received += message.elements;
        ++result.partners;
    }
    for (const auto& message : schedule.messages(schedule.runs_from(process)))
        result.sent += message.elements;
    return result;
}
std::int64_t extent(const LocalRange& range) { return range.end - range.begin; }

bool is_whole(const Case& c, int process, const Built& built) {
    const auto cells = [&](const ArrayLayout& layout) {
        std::int64_t product = 1;
        const GridCoordinates at = layout.coordinates(process);
        for (int d = 0; d < layout.rank(); ++d)
            product *= extent(layout.axis(d).interior_local(at[static_cast<std::size_t>(d)]));
        return product;
    };
    return built.received == cells(c.to) && built.sent == cells(c.from);
}

void measure(benchmark::State& state, const std::vector<Case>& cases, int most_processes = 50) {
    const int processes_timed = perf::smoke() ? std::min(3, most_processes) : most_processes;
    std::mt19937 random(20'260'401);
    std::vector<perf::Contender> contenders;
    std::vector<double> bytes, partners;
    bool correct = true;
    for (const Case& c : cases) {
        std::uniform_int_distribution<int> any(0, c.to.process_count() - 1);
        std::vector<int> processes;
        std::size_t most = 0;
        std::size_t most_partners = 0;
        for (int i = 0; i < processes_timed; ++i) {
            processes.push_back(any(random));
            const std::size_t before = perf::allocated_bytes();
            const Built built = build(c, processes.back());
            most = std::max(most, perf::allocated_bytes() - before);
            most_partners = std::max(most_partners, built.partners);
            correct = is_whole(c, processes.back(), built) && correct;
        }
        bytes.push_back(static_cast<double>(most + sizeof(RedistributionSchedule)));
        partners.push_back(static_cast<double>(most_partners));
        contenders.push_back({c.name, [&c, processes] {
                                  for (const int process : processes)
                                      benchmark::DoNotOptimize(build(c, process));
                              }});
    }
    if (!perf::verify(state, correct, "a schedule")) return;
    const std::vector<double> medians = perf::contest(state, Exec(), contenders);
    for (std::size_t i = 0; i < medians.size(); ++i) {
        state.counters[cases[i].name + "_one_us"] = medians[i] * 1e6 / processes_timed;
        state.counters[cases[i].name + "_bytes"] = bytes[i];
        state.counters[cases[i].name + "_partners"] = partners[i];
    }
}

/// A square matrix of 16 x 16 cells a process, on 10^3 to 10^6 processes; grids are as near to a square as possible.
std::vector<ProcessGrid> grids() {
    return {ProcessGrid{25, 40}, ProcessGrid{100, 100}, ProcessGrid{250, 400},
            ProcessGrid{1000, 1000}};
}

/// From blocks to blocks of a transposed matrix: few partners, whatever the grid.
void blocks_transposed(benchmark::State& state) {
    std::vector<Case> cases;
    for (const ProcessGrid& grid : grids()) {
        const std::int64_t m = 16 * grid.extent(0), n = 16 * grid.extent(1);
        cases.push_back({"of_" + std::to_string(grid.size()),
                         ArrayLayout(grid, {block(m), block(n)}),
                         ArrayLayout(grid, {block(n), block(m)}),
                         {.permutation = {1, 0}}});
    }
    measure(state, cases);
}
BENCHMARK(blocks_transposed)->Iterations(20)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// From blocks of 4 to blocks of 6, dealt out: every process has about as many partners as elements.
void other_block_size(benchmark::State& state) {
    std::vector<Case> cases;
    for (const ProcessGrid& grid : grids()) {
        const std::int64_t m = 48 * grid.extent(0), n = 48 * grid.extent(1);
        cases.push_back({"of_" + std::to_string(grid.size()),
                         ArrayLayout(grid, {block_cyclic(m, 4), block_cyclic(n, 4)}),
                         ArrayLayout(grid, {block_cyclic(m, 6), block_cyclic(n, 6)})});
    }
    measure(state, cases);
}
BENCHMARK(other_block_size)->Iterations(20)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// Cyclic rows and columns to blocks, a matrix of 4096 x 4096 on a few processes.
void cyclic_to_blocks(benchmark::State& state) {
    std::vector<Case> cases;
    for (const ProcessGrid& grid : {ProcessGrid{1, 2}, ProcessGrid{2, 2}, ProcessGrid{8, 8}})
        cases.push_back({"of_" + std::to_string(grid.size()),
                         ArrayLayout(grid, {cyclic(4096), cyclic(4096)}),
                         ArrayLayout(grid, {block(4096), block(4096)})});
    measure(state, cases);
}
BENCHMARK(cyclic_to_blocks)->Iterations(20)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// A million random labels on two processes, all of them known everywhere: every run is one element.
void random_labels(benchmark::State& state) {
    const std::int64_t n = perf::smoke() ? 1000 : 1'000'000;
    std::mt19937_64 random(7);
    const auto lists = [&] {
        std::vector<std::int64_t> labels(static_cast<std::size_t>(n));
        std::iota(labels.begin(), labels.end(), std::int64_t{0});
        std::shuffle(labels.begin(), labels.end(), random);
        const auto middle = labels.begin() + static_cast<std::ptrdiff_t>(n / 2);
        return ArrayLayout(
            ProcessGrid{2},
            {unstructured({{labels.begin(), middle}, {middle, labels.end()}}, true)});
    };
    const ArrayLayout blocks(ProcessGrid{2}, {block(n)}), one = lists(), other = lists();
    measure(state,
            {{"blocks_to_labels", blocks, one},
             {"labels_to_blocks", one, blocks},
             {"labels_to_labels", one, other}},
            1);
}
BENCHMARK(random_labels)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
