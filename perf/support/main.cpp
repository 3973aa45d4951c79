// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf_state.hpp"

#include <distview/comm/runtime.hpp>
#include <distview/core/version.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace {

/// Ranks other than 0 run everything and report nothing.
class NullReporter final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

void add_context(int ranks, int threads, int thread_level) {
    const distview::BuildInfo info = distview::build_info();
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    benchmark::AddCustomContext("distview", info.version + " " + info.git_commit);
    benchmark::AddCustomContext("compiler", info.compiler + " " + info.compiler_flags);
    benchmark::AddCustomContext("kokkos", info.kokkos_version + " " + info.kokkos_devices);
    benchmark::AddCustomContext("mpi", std::string(mpi, std::strcspn(mpi, ",\n")));
    benchmark::AddCustomContext("mpi_thread_level", std::to_string(thread_level));
    benchmark::AddCustomContext("ranks", std::to_string(ranks));
    benchmark::AddCustomContext("threads_per_rank", std::to_string(threads));
}

} // namespace

int main(int argc, char** argv) {
    std::optional<distview::Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // Kokkos may have started on other ranks
    }
    auto& state = distview::perf::program_state();
    state.comm.emplace(MPI_COMM_WORLD);
    const int rank = state.comm->rank();
    std::vector<char*> arguments;
    for (int i = 0; i < argc; ++i) {
        if (std::strcmp(argv[i], "--smoke") == 0)
            state.smoke = true;
        else
            arguments.push_back(argv[i]);
    }
    // The file that the user names, by argument or environment, is rank 0's.
    char no_file[] = "--benchmark_out=";
    if (rank != 0) arguments.push_back(no_file);
    argc = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);

    benchmark::Initialize(&argc, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 2;
    add_context(state.comm->size(), Kokkos::DefaultHostExecutionSpace().concurrency(),
                runtime->thread_level());
    std::size_t count = 0;
    if (rank == 0) {
        count = benchmark::RunSpecifiedBenchmarks();
    } else {
        NullReporter nothing;
        count = benchmark::RunSpecifiedBenchmarks(&nothing);
    }
    benchmark::Shutdown();

    const bool passed = count > 0 && !state.failed && state.verified > 0;
    if (rank == 0) std::puts(passed ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    state.comm.reset();
    return passed ? 0 : 1;
}
