// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of single processes of large grids, which need not exist: time and memory must not depend on the
// number of processes. No communication; every rank does the same.

#include "allocated_bytes.hpp"
#include "perf.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

constexpr std::int64_t cells = 16; // along each axis, per process

/// 10^3, 10^4, 10^5 and 10^6 processes.
std::vector<ProcessGrid> grids(int dimensions) {
    switch (dimensions) {
    case 1:
        return {ProcessGrid{1000}, ProcessGrid{10'000}, ProcessGrid{100'000},
                ProcessGrid{1'000'000}};
    case 2:
        return {ProcessGrid{25, 40}, ProcessGrid{100, 100}, ProcessGrid{250, 400},
                ProcessGrid{1000, 1000}};
    case 3:
        return {ProcessGrid{10, 10, 10}, ProcessGrid{20, 20, 25}, ProcessGrid{40, 50, 50},
                ProcessGrid{100, 100, 100}};
    default:
        return {ProcessGrid{5, 5, 5, 8}, ProcessGrid{10, 10, 10, 10}, ProcessGrid{10, 20, 20, 25},
                ProcessGrid{25, 40, 40, 25}};
    }
}

/// Periodic, width 1.
ArrayLayout make_layout(const ProcessGrid& grid) {
    std::vector<AxisSpec> axes;
    for (int axis = 0; axis < grid.rank(); ++axis)
        axes.push_back(block(cells * grid.extent(axis), {.padding = 1, .periodic = true}));
    return ArrayLayout(grid, axes);
}

/// Builds every part of a schedule that a plan needs.
bool build(const ArrayLayout& layout, int process) {
    const PaddingExchangeSchedule schedule(layout, process);
    std::int64_t elements = 0;
    for (const auto& message : schedule.sends()) elements += message.elements;
    for (const auto& message : schedule.receives()) elements -= message.elements;
    schedule.for_each_incoming([&](const PaddingRegion& region) { elements += region.elements; });
    std::int64_t padding = 1;
    std::int64_t interior = 1;
    for (int axis = 0; axis < layout.rank(); ++axis) {
        padding *= cells + 2;
        interior *= cells;
    }
    return elements == padding - interior;
}

void schedule(benchmark::State& state) {
    const auto dimensions = static_cast<int>(state.range(0));
    const int processes_timed = perf::smoke() ? 3 : 200;
    std::vector<ArrayLayout> layouts;
    for (const ProcessGrid& grid : grids(dimensions)) layouts.push_back(make_layout(grid));

    std::mt19937 random(20'260'401);
    std::vector<perf::Contender> contenders;
    std::vector<double> bytes;
    bool correct = true;
    for (const ArrayLayout& layout : layouts) {
        std::uniform_int_distribution<int> any(0, layout.process_count() - 1);
        std::vector<int> processes;
        std::size_t most = 0;
        for (int i = 0; i < processes_timed; ++i) {
            processes.push_back(any(random));
            const std::size_t before = perf::allocated_bytes();
            correct = build(layout, processes.back()) && correct;
            most = std::max(most, perf::allocated_bytes() - before);
        }
        bytes.push_back(static_cast<double>(most + sizeof(PaddingExchangeSchedule)));
        contenders.push_back({"of_" + std::to_string(layout.process_count()), [&layout, processes] {
                                  for (const int process : processes)
                                      benchmark::DoNotOptimize(build(layout, process));
                              }});
    }
    if (!perf::verify(state, correct, "a schedule")) return;

    std::vector<double> medians = perf::contest(state, Exec(), contenders);
    for (std::size_t i = 0; i < medians.size(); ++i) {
        medians[i] *= 1e6 / processes_timed;
        const std::string processes = std::to_string(layouts[i].process_count());
        state.counters["one_of_" + processes + "_us"] = medians[i];
        state.counters["one_of_" + processes + "_bytes"] = bytes[i];
    }
    const auto spread = [](const std::vector<double>& values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        return *most / *least;
    };
    state.counters["time_spread"] = spread(medians);
    state.counters["bytes_spread"] = spread(bytes);
}
BENCHMARK(schedule)
    ->ArgName("dimensions")
    ->DenseRange(1, 4)
    ->Iterations(50)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
