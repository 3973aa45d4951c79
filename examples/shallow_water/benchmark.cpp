// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmark.hpp"

#include "timing.hpp"
#include "triad.hpp"

namespace shallow_water {

namespace {

constexpr int warm_up_steps = 100;
constexpr int timed_steps = 500;
/// Counts reading and writing of h, u, v and the previous tendencies, and of the velocities once more for friction.
constexpr double words_of_cost_model = 16;

} // namespace

template <class Real, class Space>
BenchmarkReport benchmark(const Space& exec, const distview::Communicator& comm,
                          const Options& options, Model<Real, Space>& model) {
    BenchmarkReport report;
    // Half of the triad's runs are before the model and half after it, so that both see the same state of the machine.
    program::Triad triad(exec, comm, program::stream_bytes(comm, std::int64_t{512} << 20));
    triad.run(5);

    model.initialize();
    model.step();
    const auto first_step = model.save();
    for (int i = 0; i < warm_up_steps; ++i) model.step();
    model.restore(first_step);
    report.seconds = program::timed(exec, comm, [&] {
        for (int i = 0; i < timed_steps; ++i) model.step();
    });
    triad.run(5);

    const double cell_steps =
        static_cast<double>(options.nx) * static_cast<double>(options.ny) * timed_steps;
    report.mcell_steps_per_s = cell_steps / report.seconds * 1e-6;
    report.triad_gbs = triad.best_gigabytes_per_second();
    report.triad_array_bytes = triad.array_bytes();
    const double gigabytes = cell_steps * words_of_cost_model * sizeof(Real) * 1e-9;
    report.triad_share = gigabytes / report.seconds / report.triad_gbs;
    return report;
}

template BenchmarkReport benchmark(const Exec&, const distview::Communicator&, const Options&,
                                   Model<float>&);
template BenchmarkReport benchmark(const Exec&, const distview::Communicator&, const Options&,
                                   Model<double>&);
#ifdef KOKKOS_ENABLE_CUDA
template BenchmarkReport benchmark(const Kokkos::Cuda&, const distview::Communicator&,
                                   const Options&, Model<float, Kokkos::Cuda>&);
template BenchmarkReport benchmark(const Kokkos::Cuda&, const distview::Communicator&,
                                   const Options&, Model<double, Kokkos::Cuda>&);
#endif

} // namespace shallow_water
