// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on a device, timed against copies within its memory in the same run; on the host where Kokkos' default
// is a host space. A model counts beforehand how many bytes each operation must move at least, and how many bytes are
// in the memory sectors it touches; both numbers become shares of the copies' bandwidth.

#include "device_times.hpp"
#include "perf.hpp"
#include "sectors.hpp"

#include "../comm/plan_of_transport.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::DeviceExec;
using perf::Traffic;
using Memory = DeviceExec::memory_space;
using Matrix = DistView<double**, Kokkos::LayoutRight, Memory>;
using Field = DistView<double***, Kokkos::LayoutRight, Memory>;

constexpr bool has_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Copies from memory to memory; their bandwidth is the reference for all shares.
class Copies {
public:
    explicit Copies(const DeviceExec& exec)
        : m_exec(exec), m_from(Kokkos::view_alloc("perf::from", exec), elements()),
          m_to(Kokkos::view_alloc("perf::to", exec), elements()) {}

    void run() const { Kokkos::deep_copy(m_exec, m_to, m_from); }
    /// Bytes read and bytes written.
    double bytes() const { return 16.0 * static_cast<double>(elements()); }

private:
    static std::size_t elements() { return std::size_t{1} << (perf::smoke() ? 12 : 27); }

    DeviceExec m_exec;
    Kokkos::View<double*, Memory> m_from;
    Kokkos::View<double*, Memory> m_to;
};

/// Times `work` in turns with copies and reports it as shares of their bandwidth.
///
/// device_us: the summed durations of all kernels and copies of the work; wall_us: the host's clock, until the
/// device has finished; model_*: the model's predictions.
void report(benchmark::State& state, const DeviceExec& exec, const Traffic& model,
            const std::function<void()>& work) {
    const Copies copies(exec);
    std::vector<double> of_device, of_copy, wall;
    perf::Operations operations;
    const auto run = [&] {
        work();
        exec.fence("distview::perf: the work has finished");
    };
    // Warms the device for a fixed time until its clocks are up: a number of copies would need an agreement of the ranks.
    const auto start = std::chrono::steady_clock::now();
    while (!perf::smoke() && std::chrono::steady_clock::now() - start < std::chrono::seconds(1)) {
        copies.run();
        exec.fence("distview::perf: a copy has warmed the device");
    }
    for (int warm = 0; warm < 3; ++warm) {
        copies.run();
        run();
    }
    for (auto _ : state) {
        of_copy.push_back(perf::seconds_of(exec, [&] { copies.run(); }));
        operations = perf::operations_of(exec, [&] { copies.run(); }, work);
        of_device.push_back(operations.seconds);
        run();
        wall.push_back(perf::timed(perf::Exec(), run));
        state.SetIterationTime(wall.back());
    }
    // If no operation was seen, the share would be meaningless.
    perf::verify(state, !has_device || operations.kernels + operations.copies > 0,
                 "the number of operations, of at least one,");
    const double copied = copies.bytes() / median(of_copy);
    const double seconds = std::max(median(of_device), 1e-12);
    state.counters["device_us"] = seconds * 1e6;
    state.counters["wall_us"] = median(wall) * 1e6;
    state.counters["kernels"] = operations.kernels;
    state.counters["copies"] = operations.copies;
    state.counters["copy_gbs"] = copied * 1e-9;
    state.counters["model_bytes"] = static_cast<double>(model.useful_bytes);
    state.counters["model_sector_bytes"] = static_cast<double>(model.sector_bytes);
    state.counters["model_us"] = static_cast<double>(model.sector_bytes) / copied * 1e6;
    state.counters["share"] = static_cast<double>(model.sector_bytes) / seconds / copied;
    state.counters["useful_share"] = static_cast<double>(model.useful_bytes) / seconds / copied;
}

/// A value for every cell of a box with periodic edges; indices beyond an edge address the periodic images.
struct Value {
    std::int64_t n;

    KOKKOS_FUNCTION double operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return static_cast<double>((((i + n) % n) * n + (j + n) % n) * n + (k + n) % n);
    }
};

using AllElements = Kokkos::MDRangePolicy<DeviceExec, Kokkos::Rank<3>>;

AllElements all_elements(const DeviceExec& exec, const Field& field) {
    const auto view = field.view();
    return {exec,
            {0, 0, 0},
            {static_cast<std::int64_t>(view.extent(0)), static_cast<std::int64_t>(view.extent(1)),
             static_cast<std::int64_t>(view.extent(2))}};
}

/// The global index along axis 0 of the section's first element, padding included.
std::int64_t first_plane(const Field& field) {
    return field.global_index(0, field.interior_range(0).begin).value() -
           field.interior_range(0).begin.value();
}

/// Sets all elements of the interior and overwrites the padding with -1.
void set(const DeviceExec& exec, const Field& field, std::int64_t n) {
    const auto view = field.view();
    const std::int64_t first = first_plane(field);
    const auto planes = static_cast<std::int64_t>(view.extent(0));
    const Value value{n};
    Kokkos::parallel_for(
        "perf::set", all_elements(exec, field),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) {
            const bool inside = i > 0 && i < planes - 1 && j > 0 && j <= n && k > 0 && k <= n;
            view(i, j, k) = inside ? value(first + i, j - 1, k - 1) : -1;
        });
}

/// The number of elements with a wrong value.
std::int64_t mismatches(const DeviceExec& exec, const Field& field, std::int64_t n) {
    const auto view = field.view();
    const std::int64_t first = first_plane(field);
    const Value value{n};
    std::int64_t count = 0;
    Kokkos::parallel_reduce(
        "perf::mismatches", all_elements(exec, field),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t& wrong) {
            if (view(i, j, k) != value(first + i, j - 1, k - 1)) ++wrong;
        },
        count);
    return count;
}

/// Whether an exchange fills padding that held wrong values.
///
/// Collective: over the plan's communicator
bool fills(PaddingExchangePlan& plan, const DeviceExec& exec, const Field& field, std::int64_t n) {
    set(exec, field, n);
    plan.execute(exec, field);
    return mismatches(exec, field, n) == 0;
}

ArrayLayout periodic_box(int processes, std::int64_t n) {
    const BlockOptions periodic{.padding = 1, .periodic = true};
    return {ProcessGrid{processes, 1, 1},
            {block(n, periodic), block(n, periodic), block(n, periodic)}};
}

void self_periodic_exchange(benchmark::State& state) {
    const DeviceExec exec;
    const Communicator alone(MPI_COMM_SELF);
    const std::int64_t n = perf::smoke() ? 12 : 512;
    const ArrayLayout layout = periodic_box(1, n);
    const auto field =
        make_dist_view<double***, Kokkos::LayoutRight, Memory>(exec, "perf::field", alone, layout);
    PaddingExchangePlan plan(alone, layout);
    if (!perf::verify(state, fills(plan, exec, field, n), "the padding")) return;
    const Traffic model = local_traffic(
        plan.schedule(), perf::SectionMemory::of(layout.local_extents(0), 3, sizeof(double)));
    report(state, exec, model, [&] { plan.execute(exec, field); });
    perf::verify(state, fills(plan, exec, field, n), "the padding in the end");
    perf::verify(state, state.counters["kernels"] <= 2, "the number of kernels, of at most two,");
}
BENCHMARK(self_periodic_exchange)->Iterations(30)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// Sets element (i, j) to its number, row by row.
void set_matrix(const DeviceExec& exec, const Matrix& matrix, std::int64_t n) {
    const auto view = matrix.view();
    Kokkos::parallel_for(
        "perf::set_matrix",
        Kokkos::MDRangePolicy<DeviceExec, Kokkos::Rank<2>>(exec, {0, 0}, {n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
            view(i, j) = static_cast<double>(i * n + j);
        });
}

/// The number of elements that differ from `times` times set_matrix()'s values, or those of its transpose.
std::int64_t mismatches(const DeviceExec& exec, const Matrix& matrix, std::int64_t n,
                        std::int64_t times, bool transposed) {
    const auto view = matrix.view();
    std::int64_t count = 0;
    Kokkos::parallel_reduce(
        "perf::mismatches",
        Kokkos::MDRangePolicy<DeviceExec, Kokkos::Rank<2>>(exec, {0, 0}, {n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t& wrong) {
            const std::int64_t number = transposed ? j * n + i : i * n + j;
            if (view(i, j) != static_cast<double>(times * number)) ++wrong;
        },
        count);
    return count;
}

void transposition(benchmark::State& state) {
    const DeviceExec exec;
    const Communicator alone(MPI_COMM_SELF);
    const std::int64_t n = perf::smoke() ? 40 : 16384;
    const ArrayLayout layout(ProcessGrid{1, 1}, {block(n), block(n)});
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::LayoutRight, Memory>(exec, label, alone, layout);
    };
    const Matrix a = make("perf::a");
    const Matrix c = make("perf::c");
    RedistributionPlan plan(alone, layout, layout, {.permutation = {1, 0}});
    std::int64_t runs = 0;
    const auto run = [&] {
        plan.execute(exec, 1.0, a, 1.0, c);
        ++runs;
    };
    set_matrix(exec, a, n);
    run();
    if (!perf::verify(state, mismatches(exec, c, n, runs, true) == 0, "A^T")) return;
    const std::int64_t bytes = 24 * n * n;
    report(state, exec, {bytes, bytes}, run);
    perf::verify(state, mismatches(exec, c, n, runs, true) == 0, "the sum of A^T");
}
BENCHMARK(transposition)->Iterations(10)->UseManualTime()->Unit(benchmark::kMicrosecond);

void daxpy(benchmark::State& state) {
    const DeviceExec exec;
    const Communicator alone(MPI_COMM_SELF);
    const std::int64_t n = perf::smoke() ? 64 : 16384;
    const ArrayLayout layout(ProcessGrid{1, 1}, {block(n), block(n)});
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::LayoutRight, Memory>(exec, label, alone, layout);
    };
    const Matrix x = make("perf::x");
    const Matrix y = make("perf::y");
    std::int64_t runs = 0;
    const auto run = [&] {
        axpby(exec, 2.0, x, 1.0, y);
        runs += 2;
    };
    set_matrix(exec, x, n);
    const std::int64_t bytes = 24 * n * n;
    report(state, exec, {bytes, bytes}, run);
    perf::verify(state, mismatches(exec, y, n, runs, false) == 0, "y");
}
BENCHMARK(daxpy)->Iterations(20)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// An exchange between two ranks, or more, by one transport; ranks may share the device.
void exchange_by(benchmark::State& state, const char* transport) {
    const DeviceExec exec;
    const Communicator& comm = perf::communicator();
    if (comm.size() < 2) {
        state.SetLabel("needs two ranks");
        for (auto _ : state) state.SetIterationTime(0);
        return;
    }
    const std::int64_t n = perf::smoke() ? 12 : 128;
    const ArrayLayout layout = periodic_box(comm.size(), n);
    const auto field =
        make_dist_view<double***, Kokkos::LayoutRight, Memory>(exec, "perf::field", comm, layout);
    PaddingExchangePlan plan = perf::plan_of_transport(transport, comm, layout);
    if (!perf::verify(state, fills(plan, exec, field, n), "the padding")) return;
    const perf::SectionMemory memory =
        perf::SectionMemory::of(layout.local_extents(comm.rank()), 3, sizeof(double));
    Traffic model = local_traffic(plan.schedule(), memory);
    std::int64_t received = 0;
    for (const auto& message : plan.schedule().receives()) received += message.elements;
    model.useful_bytes += 2 * 8 * received;
    model.sector_bytes += 2 * 8 * received; // whole planes
    report(state, exec, model, [&] { plan.execute(exec, field); });
    perf::verify(state, fills(plan, exec, field, n), "the padding in the end");
}

void exchange_in_place(benchmark::State& state) {
    exchange_by(state, has_device ? "ipc" : "direct");
}
BENCHMARK(exchange_in_place)->Iterations(50)->UseManualTime()->Unit(benchmark::kMicrosecond);

void exchange_staged(benchmark::State& state) {
    exchange_by(state, has_device ? "staged" : "message");
}
BENCHMARK(exchange_staged)->Iterations(50)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
