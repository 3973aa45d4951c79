// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf.hpp"

#include "perf_state.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <chrono>

namespace distview::perf {

State& program_state() {
    static State state;
    return state;
}

const Communicator& communicator() { return *program_state().comm; }

bool smoke() { return program_state().smoke; }

double timed(const Exec& exec, const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    exec.fence("distview::perf::timed: nothing earlier is timed");
    agree(communicator(), "timed", nullptr); // a barrier
    const Clock::time_point start = Clock::now();
    work();
    exec.fence("distview::perf::timed: the work has finished");
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return all_reduce(communicator(), ReduceOperation::max, seconds.count());
}

void contest(benchmark::State& state, const Exec& exec, const std::vector<Contender>& contenders) {
    std::vector<std::vector<double>> seconds(contenders.size());
    for (const Contender& contender : contenders) { // warm-up
        contender.prepare();
        contender.run();
    }
    for (auto _ : state) {
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            contenders[i].prepare();
            seconds[i].push_back(timed(exec, contenders[i].run));
        }
        state.SetIterationTime(seconds[0].back());
    }
    const auto median = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    const double first = median(seconds[0]);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        const double mine = median(seconds[i]);
        state.counters[contenders[i].name + "_us"] = mine * 1e6;
        if (i > 0) state.counters[contenders[i].name + "_ratio"] = mine / first;
    }
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
