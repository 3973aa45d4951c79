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
/// The same ranks for the baselines' own messages: on the library's communicator, plans would receive these messages.
///
/// Collective: the first call
MPI_Comm baseline_communicator();
/// Whether to do only the minimum that shows that the benchmark works (--smoke).
bool smoke();

/// Seconds that `work` takes on the slowest rank: fence, start together, work, fence, stop.
///
/// On one node all ranks start at the same instant of the node's clock, else after a barrier.
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
/// The order of turns alternates, because the machine's speed changes while a benchmark runs, and a contender finds more
/// in the caches if the one before it used the same memory. Each turn begins with runs that are not timed (2 ms of
/// them, 1 to 12 runs), so that caches hold what they would without other contenders. The caller fixes the number of
/// iterations with ->Iterations(), since ranks must not decide it separately.
///
/// Returns the medians in seconds. In a smoke run each contender is timed twice.
///
/// Collective: over communicator()
std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<Contender>& contenders);
/// The same for several instances of each contender, as places[0][i], places[1][i], ..., each on memory of
/// its own: physical pages influence times, and may decide between two contenders with equal code.
/// Each place has its share of the iterations; medians are over all of them.
std::vector<double> contest(benchmark::State& state, const Exec& exec,
                            const std::vector<std::vector<Contender>>& places);

/// Fails the benchmark, and in the end the program, unless `correct` holds on every rank. Returns whether it
/// does. Call it before or after the loop over state, never inside.
///
/// Collective: over communicator()
bool verify(benchmark::State& state, bool correct, const std::string& what);

/// How often to repeat: `full`, or 2 in a smoke run.
inline int iterations(int full) { return smoke() ? 2 : full; }

} // namespace distview::perf
