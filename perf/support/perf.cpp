// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf.hpp"

#include "perf_state.hpp"

#include <distview/comm/collectives.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace distview::perf {

State& program_state() {
    static State state;
    return state;
}

const Communicator& communicator() { return *program_state().comm; }

MPI_Comm baseline_communicator() {
    static const MPI_Comm own = [] {
        MPI_Comm duplicate = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
        return duplicate;
    }();
    return own;
}

bool smoke() { return program_state().smoke; }

namespace {

using Clock = std::chrono::steady_clock;

/// Whether all ranks read the same clock, and each has a core to wait on.
bool can_start_together() {
    static const bool can = [] {
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(communicator().mpi(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        int here = 0;
        MPI_Comm_size(node, &here);
        MPI_Comm_free(&node);
        const bool fits = here == communicator().size() &&
                          static_cast<unsigned>(here) <= std::thread::hardware_concurrency();
        return all_reduce(communicator(), ReduceOperation::min, fits ? 1 : 0) == 1;
    }();
    return can;
}

/// The common start time of the ranks. A barrier would release them microseconds apart, and the timed work
/// would include waiting for the last one.
Clock::time_point start_together() {
    if (!can_start_together()) {
        agree(communicator(), "timed", nullptr); // a barrier
        return Clock::now();
    }
    const std::int64_t now = Clock::now().time_since_epoch().count();
    const std::int64_t last = all_reduce(communicator(), ReduceOperation::max, now);
    const Clock::time_point start =
        Clock::time_point(Clock::duration(last)) + std::chrono::microseconds(20);
    while (Clock::now() < start) {
    }
    return start;
}

} // namespace

double timed(const Exec& exec, const std::function<void()>& work) {
    exec.fence("distview::perf::timed: nothing earlier is timed");
    const Clock::time_point start = start_together();
    work();
    exec.fence("distview::perf::timed: the work has finished");
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return all_reduce(communicator(), ReduceOperation::max, seconds.count());
}

namespace {

/// The number of untimed runs until the caches hold for a contender what they would without the others: caches
/// keep data that is used repeatedly and drop the rest only gradually.
///
/// `seconds`: times of the contender's earlier runs, the same on all ranks.
int warm_ups(const std::vector<double>& seconds) {
    constexpr double enough_seconds = 2e-3;
    constexpr double most = 12;
    if (smoke()) return 1;
    if (seconds.empty()) return static_cast<int>(most);
    return static_cast<int>(std::clamp(enough_seconds / seconds.back(), 1.0, most));
}

} // namespace

std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<std::vector<Contender>>& places) {
    const std::vector<Contender>& names = places.front();
    const auto turns = static_cast<std::size_t>(state.max_iterations);
    std::vector<std::vector<double>> seconds(names.size());
    for (auto _ : state) {
        const std::size_t turn = seconds[0].size();
        const std::vector<Contender>& contenders =
            places[std::min(turn * places.size() / turns, places.size() - 1)];
        // Alternates the order: a contender finds more in the caches if the one before it used the same memory.
        const bool back = turn % 2 == 1;
        if (!smoke() || turn < 2)
            for (std::size_t k = 0; k < contenders.size(); ++k) {
                const std::size_t i = back ? contenders.size() - 1 - k : k;
                for (int runs = warm_ups(seconds[i]); runs > 0; --runs) {
                    contenders[i].prepare();
                    contenders[i].run();
                }
                contenders[i].prepare();
                seconds[i].push_back(timed(exec, contenders[i].run));
            }
        state.SetIterationTime(seconds[0].back());
    }
    std::vector<double> medians;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto middle = seconds[i].begin() + static_cast<std::ptrdiff_t>(seconds[i].size() / 2);
        std::nth_element(seconds[i].begin(), middle, seconds[i].end());
        medians.push_back(*middle);
        state.counters[names[i].name + "_us"] = medians[i] * 1e6;
        if (i > 0) state.counters[names[i].name + "_ratio"] = medians[i] / medians[0];
    }
    return medians;
}

std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<Contender>& contenders) {
    return contest(state, exec, std::vector<std::vector<Contender>>{contenders});
}

bool verify(benchmark::State& state, bool correct, const std::string& what) {
    const bool all = all_reduce(communicator(), ReduceOperation::min, correct ? 1 : 0) == 1;
    if (!all) {
        program_state().failed = true;
        state.SkipWithError((what + " is wrong").c_str());
    }
    ++program_state().verified;
    return all;
}

} // namespace distview::perf
