// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include "blas.hpp"
#include "caches.hpp"
#include "triad.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace daxpy {

namespace {

using distview::Communicator;
using distview::ReduceOperation;
using program::timed;

/// One way to compute, and its times.
struct Contender {
    std::function<void()> run;
    std::vector<double> seconds{};
};

/// Requires that every fragment lies in the section itself and that all of them cover it.
void require_in_place(const Communicator& comm, const Array& x, const Array& y) {
    distview::agree_on(comm, "daxpy", [&] {
        for (const auto each : {for_each_fragment<std::function<void(Fragment, Fragment)>>,
                                for_each_block<std::function<void(Fragment, Fragment)>>}) {
            std::size_t covered = 0;
            bool in_place = true;
            const double* expected_x = x.view().data();
            const double* expected_y = y.view().data();
            each(x, y, [&](const Fragment& part_of_x, const Fragment& part_of_y) {
                in_place = in_place && part_of_x.data() == expected_x + covered &&
                           part_of_y.data() == expected_y + covered;
                covered += part_of_y.extent(0);
            });
            distview::require<distview::Error>(
                in_place && covered == y.view().size(),
                "daxpy: the fragments are not the section's own elements");
        }
    });
}

/// Seconds to wrap a block, on the slowest rank, with a use that the compiler cannot optimise away.
double time_wrapping(const Communicator& comm, const Array& x, const Array& y,
                     std::int64_t blocks) {
    // A rank without blocks takes part, because the reduction needs all ranks.
    constexpr std::int64_t least = 10000;
    const std::int64_t rounds = blocks == 0 ? 0 : (least + blocks - 1) / blocks;
    const auto use = [](const Fragment& part_of_x, const Fragment& part_of_y) {
        const double* volatile seen_x = part_of_x.data();
        const double* volatile seen_y = part_of_y.data();
        (void)seen_x;
        (void)seen_y;
    };
    const program::Clock::time_point start = program::Clock::now();
    for (std::int64_t round = 0; round < rounds; ++round) for_each_block(x, y, use);
    const std::chrono::duration<double> seconds = program::Clock::now() - start;
    return distview::all_reduce(
        comm, ReduceOperation::max,
        blocks == 0 ? 0.0 : seconds.count() / static_cast<double>(rounds * blocks));
}

} // namespace

Report measure(const Exec& exec, const Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid) {
    const distview::ArrayLayout layout = make_layout(options, grid);
    const auto make = [&](const char* label) {
        return distview::make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, label, comm, layout);
    };
    const Array x = make("daxpy::x");
    const Array y = make("daxpy::y");
    program::Triad triad(
        exec, comm, options.triad_mib > 0 ? options.triad_mib << 20 : program::stream_bytes(comm));
    set_x(exec, x);
    set_y(exec, y);
    exec.fence("daxpy: the BLAS reads what kernels have set");

    const double alpha = options.alpha;
    const auto call_blas = [alpha](const Fragment& part_of_x, const Fragment& part_of_y) {
        blas_daxpy(alpha, part_of_x, part_of_y);
    };
    std::vector<Contender> contenders{{[&] { distview::axpby(exec, alpha, x, 1.0, y); }}};
    // With alpha 0 the BLAS returns at once.
    const bool compares = have_blas() && alpha != 0;
    if (compares) {
        set_blas_threads(exec.concurrency());
        require_in_place(comm, x, y);
        contenders.push_back({[&] { for_each_fragment(x, y, call_blas); }});
        contenders.push_back({[&] { for_each_block(x, y, call_blas); }});
    }

    Report report;
    report.options = options;
    report.grid = grid;
    report.threads = exec.concurrency();
    const auto most = [&](std::int64_t value) {
        return distview::all_reduce(comm, ReduceOperation::max, value);
    };
    report.elements_of_a_rank = most(static_cast<std::int64_t>(y.view().size()));
    report.last_level_cache_bytes = program::last_level_cache_bytes();
    report.triad_array_bytes = triad.array_bytes();

    std::int64_t mismatches = 0;
    std::vector<double> triad_seconds;
    triad.run_once(); // warm-up
    for (int trial = 0; trial < options.trials; ++trial) {
        for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
            // Contenders rotate, because the one after the triad is slower than the next, whatever was run before.
            Contender& contender =
                contenders[(turn + static_cast<std::size_t>(trial)) % contenders.size()];
            // Caches get the contents that they would have without other contenders; one run is not enough for that.
            const program::Clock::time_point until =
                program::Clock::now() + std::chrono::milliseconds(2);
            do contender.run();
            while (program::Clock::now() < until);
            set_y(exec, y);
            contender.seconds.push_back(timed(exec, comm, contender.run));
            const Check found = check(comm, y, alpha);
            mismatches += found.mismatches;
            if (&contender == &contenders.front()) report.check = found;
        }
        triad_seconds.push_back(timed(exec, comm, [&] { triad.run_once(); }));
    }
    triad.verify();
    report.check.mismatches = mismatches;
    report.seconds = program::median(contenders[0].seconds);
    report.triad_gbs = triad.gigabytes_per_second(program::median(triad_seconds));
    if (!compares) return report;

    std::int64_t calls = 0;
    std::int64_t blocks = 0;
    for_each_fragment(x, y, [&](const Fragment&, const Fragment&) { ++calls; });
    for_each_block(x, y, [&](const Fragment&, const Fragment&) { ++blocks; });
    report.blas = {.seconds = program::median(contenders[1].seconds),
                   .block_seconds = program::median(contenders[2].seconds),
                   .calls = most(calls),
                   .blocks = most(blocks),
                   .wrap_seconds = time_wrapping(comm, x, y, blocks)};
    return report;
}

} // namespace daxpy
