// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpositions, other block sizes and other process grids: a plan, reading in place and by messages, against
// ScaLAPACK and FFTW where CMake found them, and against memcpy of as many bytes as the section has.

#include "baselines/copy_section.hpp"
#include "baselines/fftw_transpose.hpp"
#include "baselines/scalapack.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"

#include <distview/comm/make_dist_view.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A number that identifies the element, small enough for exact sums.
double number(std::int64_t i, std::int64_t j) {
    return static_cast<double>((i * 4099 + j) % (std::int64_t{1} << 40));
}

double minus_one(std::int64_t, std::int64_t) { return -1; }

/// Sets a section to value(i, j) of its global indices.
template <class Value>
void set(const Array& array, const Value& value) {
    const auto view = array.view();
    for (std::size_t i = 0; i < view.extent(0); ++i)
        for (std::size_t j = 0; j < view.extent(1); ++j)
            view(i, j) =
                value(array.global_index(0, LocalIndex(i)), array.global_index(1, LocalIndex(j)));
}

template <class Value>
bool equals(const Array& array, const Value& value) {
    const auto view = array.view();
    for (std::size_t i = 0; i < view.extent(0); ++i)
        for (std::size_t j = 0; j < view.extent(1); ++j)
            if (view(i, j) !=
                value(array.global_index(0, LocalIndex(i)), array.global_index(1, LocalIndex(j))))
                return false;
    return true;
}

/// A source and a target, both in memory that ranks share and in memory from an ordinary allocation, and the
/// contenders that redistribute the one to the other; add() verifies each.
class Field {
public:
    Field(benchmark::State& state, const ArrayLayout& from, const ArrayLayout& to)
        : shared_from(make(from)), shared_to(make(to)),
          plain_from(exec, "plain source", from, comm.rank()),
          plain_to(exec, "plain target", to, comm.rank()), m_state(state) {
        exec.fence("bench_redistribution: the host writes");
        reset_sources();
    }

    /// The expected target if it held -1, or the `before` values of add().
    std::function<double(std::int64_t, std::int64_t)> expected;

    void reset_sources() const {
        set(shared_from, number);
        set(plain_from, number);
    }
    /// `before`: the target's values before the redistribution.
    void add(const std::string& name, const Array& target, const std::function<void()>& move,
             double (*before)(std::int64_t, std::int64_t) = minus_one) {
        set(target, before);
        move();
        exec.fence("bench_redistribution: the host reads");
        correct =
            perf::verify(m_state, equals(target, expected), "what " + name + " moved") && correct;
        contenders.push_back({name, move});
    }
    void add_memcpy() {
        m_copy = Kokkos::View<double*, Kokkos::HostSpace>("a copy of the section",
                                                          plain_from.view().size());
        contenders.push_back({"memcpy", [this] {
                                  perf::copy_section(exec, plain_from.view().data(), m_copy.data(),
                                                     static_cast<std::int64_t>(m_copy.size()));
                              }});
    }
    /// Adds a plan for each transport by which the ranks can reach each other here.
    template <class Execute>
    void add_plans(const RedistributionOptions& options, const Execute& execute,
                   double (*before)(std::int64_t, std::int64_t) = minus_one) {
        for (const char* transport : {"direct", "message"}) {
            const bool direct = std::string(transport) == "direct";
            const Array& from = direct ? shared_from : plain_from;
            const Array& to = direct ? shared_to : plain_to;
            m_plans.push_back(std::make_unique<RedistributionPlan>(
                perf::plan_of_transport(transport, comm, from.layout(), to.layout(), options)));
            RedistributionPlan& plan = *m_plans.back();
            add(
                transport, to, [this, &plan, execute, from, to] { execute(exec, plan, from, to); },
                before);
        }
    }
    Array make(const ArrayLayout& layout) const {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, "shared",
                                                                                comm, layout);
    }
    void run() {
        if (!correct) return;
        const std::vector<double> medians = perf::contest(m_state, exec, contenders);
        m_state.counters["direct_over_memcpy"] = medians.front() / medians.back();
        m_state.counters["wire_bytes"] =
            8.0 * static_cast<double>(m_plans.front()->schedule().wire_elements());
    }

    Exec exec;
    const Communicator& comm = perf::communicator();
    Array shared_from;
    Array shared_to;
    Array plain_from;
    Array plain_to;
    std::vector<perf::Contender> contenders;
    bool correct = true;

private:
    benchmark::State& m_state;
    Kokkos::View<double*, Kokkos::HostSpace> m_copy;
    std::vector<std::unique_ptr<RedistributionPlan>> m_plans;
};

void execute_copy(const Exec& exec, RedistributionPlan& plan, const Array& from, const Array& to) {
    plan.execute(exec, from, to);
}

/// A square matrix in square blocks, on a column or a row of processes.
struct Matrix {
    std::int64_t n = 0;
    std::int64_t block = 1;
    bool on_column = false;

    ProcessGrid grid() const {
        const int ranks = perf::communicator().size();
        return on_column ? ProcessGrid{ranks, 1} : ProcessGrid{1, ranks};
    }
    ArrayLayout layout() const {
        return {grid(), {block_cyclic(n, block), block_cyclic(n, block)}};
    }
#ifdef DISTVIEW_PERF_HAVE_SCALAPACK
    perf::Scalapack::Layout scalapack() const {
        const auto size = static_cast<int>(n);
        const auto of_block = static_cast<int>(block);
        return {size, size, of_block, of_block, grid().extent(0), grid().extent(1)};
    }
#endif
};

/// C = C + A^T: arguments n, block, on_column.
void transposition(benchmark::State& state) {
    const Matrix matrix{perf::smoke() ? 100 : state.range(0), perf::smoke() ? 8 : state.range(1),
                        state.range(2) != 0};
    Field field(state, matrix.layout(), matrix.layout());
    field.expected = [](std::int64_t i, std::int64_t j) { return number(j, i) - 1; };
    field.add_plans({.permutation = {1, 0}},
                    [](const Exec& exec, RedistributionPlan& plan, const Array& from,
                       const Array& to) { plan.execute(exec, 1.0, from, 1.0, to); });
#ifdef DISTVIEW_PERF_HAVE_SCALAPACK
    const perf::Scalapack scalapack(field.comm.mpi(), matrix.scalapack(), matrix.scalapack(),
                                    field.exec.concurrency());
    field.add("pdtran", field.plain_to, [&] {
        scalapack.add_transposed(field.plain_from.view().data(), field.plain_to.view().data());
    });
#endif
    field.add_memcpy();
    field.run();
}
BENCHMARK(transposition)
    ->ArgNames({"n", "block", "on_column"})
    ->ArgsProduct({{4096}, {128, 64, 32}, {0, 1}})
    ->ArgsProduct({{4000}, {100}, {0, 1}})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// A = A^T within one memory, against the work that it saves: a second array, and the copy back from it.
/// Arguments n, block, on_column.
void transposition_in_place(benchmark::State& state) {
    const Matrix matrix{perf::smoke() ? 100 : state.range(0), perf::smoke() ? 8 : state.range(1),
                        state.range(2) != 0};
    Field field(state, matrix.layout(), matrix.layout());
    field.expected = [](std::int64_t i, std::int64_t j) { return number(j, i); };
    const RedistributionOptions options{.permutation = {1, 0}, .in_place = true};
    field.add_plans(
        options,
        [](const Exec& exec, RedistributionPlan& plan, const Array&, const Array& to) {
            plan.execute(exec, to, to);
        },
        number);
    auto plan = perf::plan_of_transport("direct", field.comm, matrix.layout(), matrix.layout(),
                                        {.permutation = {1, 0}});
    const Array second = field.make(matrix.layout());
    field.add(
        "and_back", field.shared_from,
        [&] {
            plan.execute(field.exec, field.shared_from, second);
            perf::copy_section(field.exec, second.view().data(), field.shared_from.view().data(),
                               static_cast<std::int64_t>(second.view().size()));
        },
        number);
    field.add_memcpy();
    field.run();
    // Contenders may have transposed an array an odd or an even number of times.
    for (const Array& array : {field.shared_to, field.plain_to})
        perf::verify(state, equals(array, number) || equals(array, field.expected), "all of them");
}
BENCHMARK(transposition_in_place)
    ->ArgNames({"n", "block", "on_column"})
    ->ArgsProduct({{4096}, {128, 32}, {0, 1}})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// A copy between block sizes or grids.
void copy_between(benchmark::State& state, const Matrix& from, const Matrix& to) {
    Field field(state, from.layout(), to.layout());
    field.expected = number;
    field.add_plans({}, execute_copy);
#ifdef DISTVIEW_PERF_HAVE_SCALAPACK
    const perf::Scalapack scalapack(field.comm.mpi(), from.scalapack(), to.scalapack(),
                                    field.exec.concurrency());
    field.add("pdgemr2d", field.plain_to, [&] {
        scalapack.copy(field.plain_from.view().data(), field.plain_to.view().data());
    });
#endif
    field.add_memcpy();
    field.run();
}

void other_block_size(benchmark::State& state) {
    const std::int64_t n = perf::smoke() ? 100 : state.range(0);
    const bool on_column = state.range(1) != 0;
    copy_between(state, {n, perf::smoke() ? 8 : 128, on_column},
                 {n, perf::smoke() ? 4 : 64, on_column});
}
BENCHMARK(other_block_size)
    ->ArgNames({"n", "on_column"})
    ->ArgsProduct({{4096}, {0, 1}})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// From a row of processes to a column of them, and back.
void other_grid(benchmark::State& state) {
    const std::int64_t n = perf::smoke() ? 100 : state.range(0);
    const std::int64_t block = perf::smoke() ? 8 : 128;
    const bool from_column = state.range(1) != 0;
    copy_between(state, {n, block, from_column}, {n, block, !from_column});
}
BENCHMARK(other_grid)
    ->ArgNames({"n", "from_column"})
    ->ArgsProduct({{4096}, {0, 1}})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// C = A^T with rows dealt out in blocks: the step of an FFT code between its axes.
void slab_transposition(benchmark::State& state) {
    const int ranks = perf::communicator().size();
    const std::int64_t n = perf::smoke() ? 12 * ranks : state.range(0) / ranks * ranks;
    const ArrayLayout layout(ProcessGrid{ranks, 1}, {block(n), block(n)});
    Field field(state, layout, layout);
    field.expected = [](std::int64_t i, std::int64_t j) { return number(j, i); };
    field.add_plans({.permutation = {1, 0}}, execute_copy);
#ifdef DISTVIEW_PERF_HAVE_FFTW
    const perf::FftwTranspose fftw(field.comm.mpi(), n, n, field.plain_from.view().data(),
                                   field.plain_to.view().data());
    field.reset_sources(); // FFTW's planning overwrote them
    field.add("fftw", field.plain_to, [&] { fftw.execute(); });
#endif
    field.add_memcpy();
    field.run();
}
BENCHMARK(slab_transposition)
    ->ArgName("n")
    ->Arg(4096)
    ->Arg(4000)
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
