// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of the shallow-water model against the STREAM triad of the same run. The cost model of a
// step is 64 bytes a cell in float32: see examples/shallow_water/benchmark.hpp.

#include "perf.hpp"

#include "benchmark.hpp"
#include "model.hpp"
#include "reference.hpp"
#include "statistics.hpp"
#include "triad.hpp"

#include <cmath>
#include <cstdint>

namespace {

using namespace distview;
using shallow_water::Mode;

template <Mode mode>
void shallow_water_step(benchmark::State& state) {
    const perf::Exec exec;
    const Communicator& comm = perf::communicator();
    shallow_water::Options options;
    options.element = shallow_water::Element::float32;
    options.mode = mode;
    // The smoke run uses a size for which reference norms after one step exist as well.
    options.nx = perf::smoke() ? 360 : 3600;
    options.ny = perf::smoke() ? 180 : 1800;
    shallow_water::Model<float> model(exec, comm, options);
    model.initialize();
    model.step();

    const auto reference = shallow_water::reference_norms(options, ProcessGrid{1, 1}, 1);
    const auto v =
        shallow_water::statistics(comm, model.section(), options.nx, model.field(model.v()));
    // One step of mode P does not depend on the grid to this precision.
    if (!perf::verify(state, reference && std::abs(v.l2 / reference->v - 1) < 1e-4,
                      "the norm of v after a step"))
        return;

    constexpr std::int64_t mib = 1 << 20;
    program::Triad<> triad(exec, comm,
                           perf::smoke() ? mib : program::stream_bytes(comm, 512 * mib));
    triad.run(1); // run() also checks the triad's result
    perf::contest(state, exec,
                  {{"step", [&] { model.step(); }}, {"triad", [&] { triad.run_once(); }}});
    const double step_bytes = 64.0 * static_cast<double>(options.nx * options.ny);
    const double triad_bytes = 3.0 * static_cast<double>(triad.array_bytes());
    state.counters["share_of_triad"] = step_bytes / triad_bytes * state.counters["triad_ratio"];
}
BENCHMARK(shallow_water_step<Mode::corrected>)
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(shallow_water_step<Mode::published>)
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
