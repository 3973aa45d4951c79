// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost before the first exchange: the schedule of one process of a large grid, which is pure arithmetic, and
// building and binding a plan. Baseline: the bare MPI set-up of the same messages.

#include "perf.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <mpi.h>

#include <optional>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

ArrayLayout plane(std::int64_t n, const ProcessGrid& grid) {
    const BlockOptions options{.padding = 1, .periodic = true};
    return ArrayLayout(grid, {block(n * grid.extent(0), options), block(n, options)});
}

void schedule_of_a_million_processes(benchmark::State& state) {
    const BlockOptions options{.padding = 1, .periodic = true};
    const ArrayLayout layout(ProcessGrid{1000, 1000},
                             {block(100'000, options), block(100'000, options)});
    const PaddingExchangeSchedule checked(layout, 500'500);
    if (!perf::verify(state, checked.sends().size() == 8 && checked.receives().size() == 8,
                      "the schedule"))
        return;
    for (auto _ : state) {
        const double seconds = perf::timed(Exec(), [&] {
            PaddingExchangeSchedule schedule(layout, 500'500);
            benchmark::DoNotOptimize(schedule);
        });
        state.SetIterationTime(seconds);
    }
}
BENCHMARK(schedule_of_a_million_processes)
    ->Iterations(100)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

/// The persistent requests of the same messages, and nothing else.
class BareRequests {
public:
    BareRequests(const Communicator& comm, const PaddingExchangeSchedule& schedule) {
        for (const auto& message : schedule.sends()) {
            std::vector<double>& buffer = m_buffers.emplace_back(message.elements);
            MPI_Send_init(buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, message.peer,
                          3, comm.mpi(), &m_requests.emplace_back());
        }
        for (const auto& message : schedule.receives()) {
            std::vector<double>& buffer = m_buffers.emplace_back(message.elements);
            MPI_Recv_init(buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, message.peer,
                          3, comm.mpi(), &m_requests.emplace_back());
        }
    }
    ~BareRequests() {
        for (MPI_Request& request : m_requests) MPI_Request_free(&request);
    }
    BareRequests(const BareRequests&) = delete;
    BareRequests& operator=(const BareRequests&) = delete;

private:
    std::vector<std::vector<double>> m_buffers;
    std::vector<MPI_Request> m_requests;
};

using Plane = DistView<double**>;

double number(std::int64_t i, std::int64_t j) { return static_cast<double>(i * 1000 + j); }

/// Calls visit(element, its number, whether it is padding) for all elements; both axes are periodic.
template <class Visit>
void for_each_element(const Plane& array, const Visit& visit) {
    std::int64_t first[2], begin[2], end[2], extent[2];
    for (int d = 0; d < 2; ++d) {
        const LocalRange interior = array.interior_range(d);
        begin[d] = interior.begin.value();
        end[d] = interior.end.value();
        first[d] = array.global_index(d, interior.begin).value();
        extent[d] = array.layout().extent(d);
    }
    const auto global = [&](int d, std::int64_t i) {
        return (first[d] + i - begin[d] + extent[d]) % extent[d];
    };
    const auto view = array.view();
    for (std::int64_t i = 0; i < view.extent_int(0); ++i)
        for (std::int64_t j = 0; j < view.extent_int(1); ++j)
            visit(view(i, j), number(global(0, i), global(1, j)),
                  i < begin[0] || i >= end[0] || j < begin[1] || j >= end[1]);
}

/// Whether an exchange by this plan fills all padding.
bool fills(const Exec& exec, PaddingExchangePlan& plan, const Plane& array) {
    for_each_element(array, [](double& element, double value, bool is_padding) {
        element = is_padding ? -1 : value;
    });
    plan.execute(exec, array);
    bool right = true;
    for_each_element(
        array, [&](double element, double value, bool) { right = right && element == value; });
    return right;
}

void build_and_bind(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const ArrayLayout layout = plane(256, ProcessGrid{comm.size(), 1});
    const auto array = make_dist_view<double**>(exec, "array", comm, layout);
    const PaddingExchangeSchedule schedule(layout, comm.rank());

    PaddingExchangePlan checked(comm, layout);
    if (!perf::verify(state, fills(exec, checked, array), "the padding")) return;

    std::optional<PaddingExchangePlan> plan;
    std::optional<BareRequests> bare;
    perf::contest(
        state, exec,
        {{"plan",
          [&] {
              plan.emplace(comm, layout);
              plan->bind(exec, array);
          },
          [&] { plan.reset(); }},
         {"bare_requests", [&] { bare.emplace(comm, schedule); }, [&] { bare.reset(); }}});
    perf::verify(state, fills(exec, *plan, array), "the padding by the plan that was timed");
}
BENCHMARK(build_and_bind)->Iterations(100)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
