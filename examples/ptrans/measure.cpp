// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include "shuffle.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace ptrans {

namespace {

/// C as it is before; with beta = 0 nobody may read it.
void set_c(const Exec& exec, const Options& options, const Array& c) {
    if (options.beta == 0)
        Kokkos::deep_copy(exec, c.view(), std::numeric_limits<double>::quiet_NaN());
    else
        set(options, Matrix::c, c);
    exec.fence("ptrans: C is set");
}

void require_formulas(const Shape& shape, const Traffic& traffic) {
    if (!formulas_hold(shape)) return;
    const int partners = partners_by_formula(shape);
    distview::require<distview::Error>(
        std::all_of(traffic.partners.begin(), traffic.partners.end(),
                    [&](int of_process) { return of_process == partners; }) &&
            traffic.wire_bytes == wire_bytes_by_formula(shape),
        [&] {
            return distview::text("expected ", partners, " partners of every process and ",
                                  wire_bytes_by_formula(shape), " bytes for others, got ",
                                  distview::tuple_text(traffic.partners), " and ",
                                  traffic.wire_bytes);
        });
}

/// One trial; its check, traffic and plan go to the report.
Trial run_trial(const Exec& exec, const distview::Communicator& comm, Report& report) {
    const Options& options = report.options;
    const distview::ArrayLayout of_a = layout_of_a(report.shape);
    const distview::ArrayLayout of_c = layout_of_c(report.shape);
    const auto make = [&](const distview::ArrayLayout& layout, const char* label) {
        return distview::make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, comm, layout, label);
    };
    const Array a = make(of_a, "ptrans::a");
    const Array c = make(of_c, "ptrans::c");
    exec.fence("ptrans: the host writes A");
    set(options, Matrix::a, a);
    set_c(exec, options, c);

    std::optional<distview::RedistributionPlan> plan;
    const auto transpose = [&] { plan->execute(exec, 1.0, a, options.beta, c); };
    Trial trial;
    trial.first_seconds = program::timed(exec, comm, [&] {
        plan.emplace(comm, of_a, of_c, distview::RedistributionOptions{.permutation = {1, 0}});
        transpose();
    });
    set_c(exec, options, c);
    trial.seconds = program::timed(exec, comm, transpose);

    report.check = check(comm, options, a, c);
    report.plan = plan->describe();
    report.traffic = traffic_of(plan->schedule());
    require_formulas(report.shape, report.traffic);
    return trial;
}

} // namespace

const Trial& Report::worst() const {
    return *std::max_element(trials.begin(), trials.end(),
                             [](const Trial& a, const Trial& b) { return a.seconds < b.seconds; });
}

Report measure(const Exec& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid) {
    Report report;
    report.options = options;
    report.shape = {options.m, options.n, options.mb, options.nb, grid.extent(0), grid.extent(1)};
    report.threads = exec.concurrency();
    double residual = 0;
    std::optional<Check> first;
    for (int number = 0; number < options.trials; ++number) {
        const std::vector<int> ranks = rank_permutation(options.seed_grid, number, comm.size());
        ShuffledRanks shuffled(comm, ranks);
        report.trials.push_back(run_trial(exec, shuffled.communicator(), report));
        report.trials.back().ranks = ranks;
        shuffled.close();

        residual = std::max(residual, report.check.residual);
        if (!first) first = report.check;
        distview::require<distview::Error>(report.check.sum_2p30 == first->sum_2p30 &&
                                               report.check.wsum_2p30 == first->wsum_2p30,
                                           "trials disagree on the sums of C");
    }
    report.check.residual = residual;
    return report;
}

} // namespace ptrans
