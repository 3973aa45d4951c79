// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include "shuffle.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/mirror.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

namespace ptrans {

namespace {

template <class Space>
using ArrayOf = distview::DistView<double**, Kokkos::LayoutRight, typename Space::memory_space>;

/// A matrix that the host can read and write: the array itself, or a copy.
template <class AnyArray>
class OnHost {
public:
    explicit OnHost(const AnyArray& array) : m_array(array), m_host(create_mirror_view(array)) {}

    const Array& host() const { return m_host; }
    template <class Space>
    void to_device(const Space& exec) const {
        if constexpr (!std::is_same_v<AnyArray, Array>) distview::deep_copy(exec, m_array, m_host);
        exec.fence("ptrans: a matrix is set");
    }
    template <class Space>
    void from_device(const Space& exec) const {
        if constexpr (!std::is_same_v<AnyArray, Array>) distview::deep_copy(exec, m_host, m_array);
        exec.fence("ptrans: a matrix is read");
    }

private:
    AnyArray m_array;
    Array m_host;
};

/// Sets C before a transposition; with beta = 0 the transposition must not read it.
template <class Space, class Host>
void set_c(const Space& exec, const Options& options, const Host& c) {
    if (options.beta == 0) {
        const Exec host;
        Kokkos::deep_copy(host, c.host().view(), std::numeric_limits<double>::quiet_NaN());
        host.fence("ptrans: C is set");
    } else {
        set(options, Matrix::c, c.host());
    }
    c.to_device(exec);
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
                                  wire_bytes_by_formula(shape), " bytes to other processes, got ",
                                  distview::tuple_text(traffic.partners), " and ",
                                  traffic.wire_bytes);
        });
}

/// Runs one trial; its check, traffic and plan go to the report.
template <class Space>
Trial run_trial(const Space& exec, const distview::Communicator& comm, Report& report) {
    const Options& options = report.options;
    const distview::ArrayLayout of_a = layout_of_a(report.shape);
    const distview::ArrayLayout of_c = layout_of_c(report.shape);
    const auto make = [&](const distview::ArrayLayout& layout, const char* label) {
        return distview::make_dist_view<double**, Kokkos::LayoutRight,
                                        typename Space::memory_space>(exec, label, comm, layout);
    };
    const ArrayOf<Space> a = make(of_a, "ptrans::a");
    const ArrayOf<Space> c = make(of_c, "ptrans::c");
    exec.fence("ptrans: the host writes A");
    const OnHost a_host(a);
    const OnHost c_host(c);
    set(options, Matrix::a, a_host.host());
    a_host.to_device(exec);
    set_c(exec, options, c_host);

    std::optional<distview::RedistributionPlan> plan;
    const auto transpose = [&] { plan->execute(exec, 1.0, a, options.beta, c); };
    Trial trial;
    trial.first_seconds = program::timed(exec, comm, [&] {
        plan.emplace(comm, of_a, of_c, distview::RedistributionOptions{.permutation = {1, 0}});
        transpose();
    });
    set_c(exec, options, c_host);
    trial.seconds = program::timed(exec, comm, transpose);

    c_host.from_device(exec);
    report.check = check(comm, options, a_host.host(), c_host.host());
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

template <class Space>
Report measure(const Space& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid) {
    Report report;
    report.options = options;
    report.shape = {options.m, options.n, options.mb, options.nb, grid.extent(0), grid.extent(1)};
    report.threads = exec.concurrency();
    // A is read and C is written; C is also read unless beta is 0.
    report.memory_bytes = (options.beta == 0 ? 2 : 3) * 8 * options.m * options.n;
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
        distview::require<distview::Error>(
            report.check.sum_2p30 == first->sum_2p30 && report.check.wsum_2p30 == first->wsum_2p30,
            "expected the same sums of C in all trials, got different ones");
    }
    report.check.residual = residual;
    return report;
}

template Report measure(const Exec&, const distview::Communicator&, const Options&,
                        const distview::ProcessGrid&);

Report measure(const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid) {
#ifdef KOKKOS_ENABLE_CUDA
    if (options.space == "cuda") return measure(Kokkos::Cuda(), comm, options, grid);
#endif
    return measure(Exec(), comm, options, grid);
}

} // namespace ptrans
