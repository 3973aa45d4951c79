// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace distview::perf {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// The ranks of this run; valid between the start and the end of main().
const Communicator& communicator();
/// The same ranks for the baselines' own messages: plans receive on the library's, and would take them for theirs.
///
/// Collective: the first call
MPI_Comm baseline_communicator();
/// Whether to do as little as shows that the benchmark works (--smoke).
bool smoke();

/// Seconds that `work` takes on the slowest rank: fence, start together, work, fence, stop.
///
/// On one node the ranks start at the same instant of its clock, else after a barrier.
///
/// Collective: over communicator()
double timed(const Exec& exec, const std::function<void()>& work);

/// One of several ways to do the same thing.
struct Contender {
    std::string name;
    std::function<void()> run;
    /// Before each timed run, not timed: restores what run() needs.
    std::function<void()> prepare = [] {};
};

/// Times the contenders in turns and reports the first as the benchmark's time; every contender's
/// median in microseconds and its ratio to the first become counters ("<name>_us", "<name>_ratio").
///
/// Turns, there and back, because the machine changes its mind while a benchmark runs, and caches hold more
/// for who runs behind one that uses the same memory; each begins with runs that are not timed (2 ms of
/// them, 1 to 12 runs), so that they hold what they would if there were no other contenders. Iteration
/// counts are fixed by the caller with ->Iterations(): ranks must not decide them one by one.
///
/// Returns the medians in seconds. In a smoke run each contender is timed twice.
///
/// Collective: over communicator()
std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<Contender>& contenders);
/// The same for contenders each of which is there several times, as places[0][i], places[1][i], ..., on
/// memory of its own: which pages of the machine an array got may decide between two that do the same.
/// Each place has its share of the iterations; medians are over all of them.
std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<std::vector<Contender>>& places);

/// Fails the benchmark, and in the end the program, unless `correct` holds on every rank; before or
/// after the loop over state, never inside. Returns whether it does.
///
/// Collective: over communicator()
bool verify(benchmark::State& state, bool correct, const std::string& what);

/// How often to repeat: `full`, or 2 in a smoke run.
inline int iterations(int full) { return smoke() ? 2 : full; }

} // namespace distview::perf
