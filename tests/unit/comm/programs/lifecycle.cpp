// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and ends of programs with padding exchanges.
#include "lifecycle_cases.hpp"

#include <distview/comm.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace distview;
using testing::expect, testing::expect_usage_error;
using Exec = Kokkos::DefaultHostExecutionSpace;

ArrayLayout ring(const Communicator& comm, std::int64_t columns) {
    return {ProcessGrid{comm.size(), 1},
            {block(3 * comm.size(), {.padding = 1, .periodic = true}), block(columns)}};
}

/// The objects that a program may still own when it ends.
struct Belongings {
    explicit Belongings(std::int64_t columns = 5)
        : comm(MPI_COMM_WORLD), plan(comm, ring(comm, columns)),
          array(make_dist_view<double**>(Exec(), "array", comm, ring(comm, columns))) {
        plan.execute(Exec(), array);
    }
    void drop_array() { array = {}; }

    Communicator comm;
    PaddingExchangePlan plan;
    DistView<double**> array;
};

std::unique_ptr<Belongings> global_belongings; // destroyed after main, hence after MPI_Finalize
std::unique_ptr<Runtime> global_runtime;

constexpr const char* closed_message =
    "Communicator: used after close(), after MPI_Comm_free of the communicator that it duplicates, "
    "or after MPI_Finalize";

void uses_before_and_after(int argc, char** argv) {
    constexpr const char* before = "Communicator: MPI is not initialised; call MPI_Init_thread (or "
                                   "construct a distview::Runtime) first";
    expect_usage_error([] { Communicator comm(MPI_COMM_WORLD); }, before);
    std::unique_ptr<Communicator> kept;
    {
        const Runtime runtime(argc, argv);
        kept = std::make_unique<Communicator>(MPI_COMM_WORLD);
        expect(kept->size() >= 1, "ranks");
    }
    expect(!kept->is_open(), "a communicator closed by MPI_Finalize");
    expect_usage_error([&] { static_cast<void>(kept->rank()); }, closed_message);
    expect_usage_error([&] { kept->close(); }, closed_message);
    expect_usage_error([] { Communicator comm(MPI_COMM_WORLD); },
                       "Communicator: MPI is already finalised");
    expect_usage_error([&] { Runtime again(argc, argv); }, "Runtime: MPI is already finalised");
}

void runtime_runs_both(int argc, char** argv) {
    int initialized = 0, finalized = 0;
    {
        const Runtime runtime(argc, argv);
        {
            const Runtime inner(argc, argv);
        }
        MPI_Initialized(&initialized);
        MPI_Finalized(&finalized);
        expect(initialized && !finalized && Kokkos::is_initialized(), "both running");
        const Belongings belongings;
    }
    MPI_Finalized(&finalized);
    expect(finalized && !Kokkos::is_initialized(), "both ended");
}

void runtime_leaves_mpi_alone(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const Runtime runtime(argc, argv);
    }
    int finalized = 0;
    MPI_Finalized(&finalized);
    expect(!finalized && !Kokkos::is_initialized(), "MPI running, Kokkos ended");
    MPI_Finalize();
}

void runtime_leaves_kokkos_alone(int argc, char** argv) {
    Kokkos::initialize(argc, argv);
    {
        const Runtime runtime(argc, argv);
    }
    int finalized = 0;
    MPI_Finalized(&finalized);
    expect(finalized && Kokkos::is_initialized(), "MPI ended, Kokkos running");
    Kokkos::finalize();
}

void runtime_takes_kokkos_arguments(int, char** argv) {
    char option[] = "--kokkos-disable-warnings", mine[] = "--mine";
    char* arguments[] = {argv[0], option, mine, nullptr};
    int count = 3;
    char** values = arguments;
    const Runtime runtime(count, values);
    expect(count == 2 && std::string_view(values[1]) == "--mine", "Kokkos's argument taken");
}

// The arguments of main() end with a null pointer; other argument lists may not.
void runtime_writes_nothing_behind_arguments(int, char** argv) {
    char mine[] = "--mine", behind[] = "behind";
    char* arguments[] = {argv[0], mine, behind};
    int count = 2;
    char** values = arguments;
    const Runtime runtime(count, values);
    expect(count == 2 && arguments[2] == behind, "nothing written behind the arguments");
}

// The same happens with a build for CUDA on a machine without a device.
void runtime_reports_that_kokkos_does_not_start(int argc, char** argv) {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_init_callback(
        [](int, std::uint64_t, std::uint32_t, Kokkos_Profiling_KokkosPDeviceInfo*) {
            throw std::runtime_error("no device");
        });
    std::string message;
    try {
        const Runtime runtime(argc, argv);
    } catch (const Error& error) {
        message = error.what();
    }
    expect(message.starts_with("Runtime: Kokkos does not start") &&
               message.ends_with(": no device"),
           "an Error that says why");
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    expect(initialized && !finalized, "MPI running, to end the others");
    MPI_Finalize();
}

// Arrays must be destroyed before Kokkos ends; plans and communicators may live until after main.
void plan_outlives_all(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    global_belongings->drop_array();
}

void plan_outlives_all_but_runtime(int argc, char** argv) {
    // global_belongings is declared first, so it is destroyed after global_runtime.
    global_runtime = std::make_unique<Runtime>(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    global_belongings->drop_array();
}

void runtime_outlives_all(int argc, char** argv) {
    global_runtime = std::make_unique<Runtime>(argc, argv);
    {
        const Belongings belongings;
    }
    Communicator comm(MPI_COMM_SELF);
}

void closes_before_the_end(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    global_belongings->drop_array();
    global_belongings->comm.close();
}

void abandons(int argc, char** argv, std::int64_t columns, bool everywhere) {
    const Runtime runtime(argc, argv);
    Belongings belongings(columns);
    auto handle = belongings.plan.start(Exec(), belongings.array);
    if (everywhere || belongings.comm.rank() == 0) return;
    try {
        handle.finish();
    } catch (const UsageError& error) {
        // An array that is read in place may be freed before it has been read.
        expect(std::string_view(error.what()).find("rank 0 has abandoned") !=
                   std::string_view::npos,
               "an error that names the process");
    }
}

void fails_in_flight(int argc, char** argv) {
    try {
        const Runtime runtime(argc, argv);
        Belongings belongings(300000);
        const auto handle = belongings.plan.start(Exec(), belongings.array);
        throw UsageError("on the way");
    } catch (const UsageError& error) {
        expect(error.what() == std::string("on the way"), "the exception thrown");
    }
}

/// Ends the program with an exchange in flight: its handle is never destroyed.
void leaks(int argc, char** argv, bool everywhere) {
    const Runtime runtime(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    auto* handle = new auto(global_belongings->plan.start(Exec(), global_belongings->array));
    [[maybe_unused]] static auto* reachable = handle; // reachable, so sanitizers report no leak
    if (!everywhere && global_belongings->comm.rank() != 0) {
        try {
            handle->finish();
        } catch (const UsageError&) {
            // Rank 0 may have ended first.
        }
    }
    global_belongings->drop_array();
}

void plan_goes_in_flight(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const auto array = make_dist_view<double**>(Exec(), "array", comm, ring(comm, 4));
    auto plan = std::make_unique<PaddingExchangePlan>(comm, ring(comm, 4));
    auto handle = plan->start(Exec(), array);
    plan.reset();
    handle.finish(); // the handle keeps the objects that it needs
}

// The second array reuses the memory of the first: plans must not confuse them.
void arrays_go_before_plans(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    PaddingExchangePlan plan(comm, ring(comm, 4));
    for (int round = 0; round < 50; ++round) {
        const auto array = make_dist_view<double**>(Exec(), "array", comm, ring(comm, 4));
        const double mine = 100.0 * round + comm.rank();
        Kokkos::deep_copy(array.owned(), mine);
        plan.execute(Exec(), array);
        const double below = 100.0 * round + (comm.rank() + comm.size() - 1) % comm.size();
        expect(array.view()(0, 0) == below && array.view()(0, 3) == below, "the neighbour's value");
    }
}

void closes_in_flight(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    Belongings belongings;
    auto handle = belongings.plan.start(Exec(), belongings.array);
    belongings.comm.close();
    expect_usage_error([&] { handle.finish(); },
                       "PaddingExchangePlan: the communicator has been closed");
}

constexpr testing::LifecycleCase cases[] = {
    {"uses_before_and_after", uses_before_and_after},
    {"runtime_runs_both", runtime_runs_both},
    {"runtime_leaves_mpi_alone", runtime_leaves_mpi_alone},
    {"runtime_leaves_kokkos_alone", runtime_leaves_kokkos_alone},
    {"runtime_takes_kokkos_arguments", runtime_takes_kokkos_arguments},
    {"runtime_writes_nothing_behind_arguments", runtime_writes_nothing_behind_arguments},
    {"runtime_reports_that_kokkos_does_not_start", runtime_reports_that_kokkos_does_not_start},
    {"plan_outlives_all", plan_outlives_all},
    {"plan_outlives_all_but_runtime", plan_outlives_all_but_runtime},
    {"runtime_outlives_all", runtime_outlives_all},
    {"closes_before_the_end", closes_before_the_end},
    {"abandons", [](int argc, char** argv) { abandons(argc, argv, 5, true); }},
    {"abandons_on_one_rank", [](int argc, char** argv) { abandons(argc, argv, 5, false); }},
    {"abandons_long", [](int argc, char** argv) { abandons(argc, argv, 300000, true); }},
    {"abandons_long_on_one_rank",
     [](int argc, char** argv) { abandons(argc, argv, 300000, false); }},
    {"fails_in_flight", fails_in_flight},
    {"leaks", [](int argc, char** argv) { leaks(argc, argv, true); }},
    {"leaks_on_one_rank", [](int argc, char** argv) { leaks(argc, argv, false); }},
    {"plan_goes_in_flight", plan_goes_in_flight},
    {"arrays_go_before_plans", arrays_go_before_plans},
    {"closes_in_flight", closes_in_flight},
};

} // namespace

int main(int argc, char** argv) { return distview::testing::run_case(cases, argc, argv); }
