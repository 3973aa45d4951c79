// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf_state.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/version.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int wrong_use = 2;

/// The reporter of ranks other than 0, which run everything and report nothing.
class NullReporter final : public benchmark::BenchmarkReporter {
public:
    NullReporter() {
        SetOutputStream(&m_nowhere);
        SetErrorStream(&m_nowhere);
    }
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}

private:
    std::ostream m_nowhere{nullptr};
};

/// Whether a switch of Google Benchmark is on, by its rules: the command line, else the environment.
bool is_on(const std::vector<char*>& arguments, const std::string& name) {
    const auto is_true = [](std::string value) {
        for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        for (const char* no : {"0", "f", "n", "false", "no", "off"})
            if (value == no) return false;
        return true;
    };
    std::string variable = name;
    for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const char* set = std::getenv(variable.c_str());
    bool on = set && is_true(set);
    const std::string option = "--" + name;
    for (const std::string argument : arguments) {
        if (argument == option) on = true;
        if (argument.starts_with(option + '=')) on = is_true(argument.substr(option.size() + 1));
    }
    return on;
}

/// Ends MPI and Kokkos while every rank still runs.
void end() {
    distview::perf::program_state().comm.reset();
    distview::perf::program_state().runtime.reset();
}

/// When the first rank fails, launchers drop unread output: the others wait until rank 0 has printed the reason.
int refuse(const char* why) {
    const distview::Communicator& comm = *distview::perf::program_state().comm;
    if (comm.rank() == 0) std::fprintf(stderr, "%s\n", why);
    distview::agree(comm, "refuse", nullptr);
    if (comm.rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return wrong_use;
}

/// The function that Google Benchmark calls before its exit(), whose status is 0 even if a value is wrong.
template <int status>
[[noreturn]] void print_help_and_exit() {
    if (distview::perf::program_state().comm->rank() == 0) {
        benchmark::PrintDefaultHelp();
        std::puts("          [--smoke] runs tiny sizes, only to check that the benchmark works");
        std::fflush(stdout);
    }
    end();
    std::exit(status);
}

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

int run(int argc, char** argv) {
    auto& state = distview::perf::program_state();
    const int rank = state.comm->rank();
    std::vector<char*> arguments;
    bool asks_for_help = false;
    for (int i = 0; i < argc; ++i) {
        asks_for_help = asks_for_help || std::strcmp(argv[i], "--help") == 0;
        if (std::strcmp(argv[i], "--smoke") == 0)
            state.smoke = true;
        else
            arguments.push_back(argv[i]);
    }
    // Rank 0 alone writes the file that the user names by argument or environment.
    char no_file[] = "--benchmark_out=";
    if (rank != 0) arguments.push_back(no_file);
    if (state.comm->size() > 1 && is_on(arguments, "benchmark_enable_random_interleaving"))
        return refuse(
            "--benchmark_enable_random_interleaving: expected one rank, because every rank "
            "would draw a different order and wait for the others");
    const bool lists_only = is_on(arguments, "benchmark_list_tests");
    argc = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);

    benchmark::Initialize(&argc, arguments.data(),
                          asks_for_help ? print_help_and_exit<0> : print_help_and_exit<wrong_use>);
    if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return wrong_use;
    add_context(state.comm->size(), Kokkos::DefaultHostExecutionSpace().concurrency(),
                state.runtime->thread_level());
    std::size_t count = 0;
    if (rank == 0) {
        count = benchmark::RunSpecifiedBenchmarks();
    } else {
        NullReporter nothing;
        count = benchmark::RunSpecifiedBenchmarks(&nothing);
    }
    benchmark::Shutdown();
    if (lists_only) return count > 0 ? 0 : 1;

    const bool passed = count > 0 && !state.failed && state.verified > 0;
    if (rank == 0) std::puts(passed ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return passed ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    auto& state = distview::perf::program_state();
    try {
        state.runtime.emplace(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // Kokkos may run on other ranks
    }
    state.comm.emplace(MPI_COMM_WORLD);
    const int status = run(argc, argv);
    end();
    return status;
}
