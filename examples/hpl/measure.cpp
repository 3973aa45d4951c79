// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include "solve.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <array>
#include <chrono>
#include <span>

namespace hpl {

namespace {

Phases slowest(const distview::Communicator& comm, const Phases& mine) {
    std::array seconds{mine.panel, mine.exchange, mine.update, mine.solve};
    distview::all_reduce(comm, distview::ReduceOperation::max, std::span<double>(seconds));
    return {seconds[0], seconds[1], seconds[2], seconds[3]};
}

} // namespace

Report measure(const Exec& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid) {
    const Array ab = distview::make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
        exec, "hpl::ab", comm, make_layout(options, grid));
    set(exec, options, ab);

    Report report;
    report.options = options;
    report.grid = grid;
    report.threads = exec.concurrency();
    Phases phases;
    report.seconds = program::timed(exec, comm, [&] {
        report.factors = factorise(exec, comm, options, ab, phases);
        const auto start = program::Clock::now();
        report.x = solve(exec, comm, options, ab, report.factors);
        phases.solve = std::chrono::duration<double>(program::Clock::now() - start).count();
    });
    report.phases = slowest(comm, phases);
    report.check = check(exec, comm, options, report.x);
    return report;
}

} // namespace hpl
