// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several fields in one exchange against one exchange for each field, over both transports, on small cubes, where
// copying does not dominate the cost. Baseline: the same by hand.

#include "baselines/mpi_packed.hpp"
#include "baselines/section.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"
#include "shapes.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using perf::MpiPacked;
using perf::Section;
using Cube = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

template <std::size_t... I>
void together(const Exec& exec, PaddingExchangePlan& plan, const std::vector<Cube>& fields,
              std::index_sequence<I...>) {
    plan.execute(exec, fields[I]...);
}

void one_by_one(const Exec& exec, PaddingExchangePlan& plan, const std::vector<Cube>& fields) {
    for (const Cube& field : fields) plan.execute(exec, field);
}

template <std::size_t Count>
void fields(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const Section section = perf::make_section<3>(state.range(0), 1, false);
    const ArrayLayout layout = perf::make_layout<3>(section);
    auto direct = perf::plan_of_transport("direct", comm, layout);
    auto message = perf::plan_of_transport("message", comm, layout);
    std::vector<Cube> shared;
    std::vector<Cube> plain;
    for (std::size_t i = 0; i < Count; ++i) {
        shared.push_back(make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, "shared", comm, layout));
        plain.emplace_back(exec, "plain", layout, comm.rank());
    }
    std::vector<double*> arrays;
    std::deque<MpiPacked> packed_each;
    for (const Cube& cube : plain) {
        arrays.push_back(cube.view().data());
        packed_each.emplace_back(perf::baseline_communicator(), section, arrays.back());
    }
    MpiPacked packed(perf::baseline_communicator(), section, arrays);

    bool correct = true;
    std::vector<perf::Contender> contenders;
    const auto add = [&](const std::string& name, const std::vector<Cube>& cubes, auto exchange) {
        for (const Cube& cube : cubes) perf::set(section, cube.view().data());
        exchange();
        for (const Cube& cube : cubes)
            correct = perf::verify(state, perf::is_filled(section, cube.view().data()),
                                   "padding of " + name) &&
                      correct;
        contenders.push_back({name, exchange, [&cubes, &section] {
                                  for (const Cube& cube : cubes)
                                      perf::rewrite_border(section, cube.view().data());
                              }});
    };
    constexpr auto all = std::make_index_sequence<Count>();
    add("direct", shared, [&] { together(exec, direct, shared, all); });
    add("direct_each", shared, [&] { one_by_one(exec, direct, shared); });
    add("message", plain, [&] { together(exec, message, plain, all); });
    add("message_each", plain, [&] { one_by_one(exec, message, plain); });
    add("packed", plain, [&] { packed.execute(); });
    add("packed_each", plain, [&] {
        for (MpiPacked& each : packed_each) each.execute();
    });
    if (!correct) return;

    const std::vector<double> medians = perf::contest(state, exec, contenders);
    state.counters["packed_over_direct"] = medians[4] / medians[0];
    state.counters["packed_over_message"] = medians[4] / medians[2];
    state.counters["direct_gain"] = medians[1] / medians[0];
    state.counters["message_gain"] = medians[3] / medians[2];
}
BENCHMARK(fields<4>)
    ->ArgName("n")
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Iterations(400)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(fields<8>)
    ->ArgName("n")
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Iterations(400)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
