// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank goes missing at a random moment while all ranks exchange, redistribute and reduce with a deadline. All other
// ranks must get a DeadlineError in time that names this rank and no other and, if it happened in a plan, where the
// plan was made; the missing rank gets one, too, when it continues.
//
// Arguments: seed; "stops", "computes" (outside the library), "calls" (on another communicator), "closes" (late, while
// the others are in MPI_Finalize) or "slow" (late, but within the deadline: no error); "direct", "packed" or "message".
// Each rank prints a line.
#include "shared_or_wrapped.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/message_sink.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds limit{2.0}; // a waiting rank may be off its processor for half of it

/// Which rank goes missing, when and how.
struct Scene {
    int victim = 0;
    int step = 0;
    std::string how;
    bool wrapped = false;
};

void go_missing(const Scene& scene) {
    if (scene.how == "stops") {
        ::kill(::getpid(), SIGSTOP); // another rank sends SIGCONT
    } else if (scene.how == "calls") {
        const Communicator other(MPI_COMM_SELF);
        for (const auto end = Clock::now() + 2.5 * limit; Clock::now() < end;) barrier(other);
    } else {
        std::this_thread::sleep_for(scene.how == "slow" ? 0.4 * limit : 2.5 * limit);
    }
}

/// Steps of all ranks; the victim goes missing before one of the calls in a step.
void work(const Communicator& comm, const Scene& scene, Clock::time_point& last_step) {
    const Exec exec;
    const std::int64_t n = 24 * comm.size();
    const ArrayLayout rows(ProcessGrid{comm.size(), 1},
                           {block(n, {.padding = 1, .periodic = true}), block(n)});
    const ArrayLayout columns(ProcessGrid{1, comm.size()}, {block(n), block(n)});
    const auto u = distview::testing::shared_or_wrapped(comm, rows, scene.wrapped);
    const auto v = distview::testing::shared_or_wrapped(comm, columns, scene.wrapped);
    PaddingExchangePlan exchange(comm, rows);
    RedistributionPlan move(comm, rows, columns);
    const int steps = scene.how == "slow" ? 12 : 1000000;
    int calls = 0;
    const auto next = [&] {
        const bool is_late =
            scene.how == "slow" ? calls % 16 == scene.step % 16 : calls == scene.step;
        if (comm.rank() == scene.victim && is_late) go_missing(scene);
        ++calls;
    };
    for (int step = 0; step < steps; ++step) {
        last_step = Clock::now();
        for (int again = 0; again < 4; ++again) {
            next();
            exchange.execute(exec, u);
        }
        next();
        move.execute(exec, u, v);
        next();
        all_reduce(comm, ReduceOperation::max, 1.0);
        next();
        const PaddingExchangePlan another(comm, rows);
    }
}

/// Works, and prints the outcome.
void run(const Communicator& comm, const Scene& scene) {
    const int rank = comm.rank();
    Clock::time_point last_step = Clock::now();
    try {
        work(comm, scene, last_step);
        std::printf("rank %d: nothing noticed\n", rank);
    } catch (const DeadlineError& error) {
        const Seconds waited = Clock::now() - last_step;
        const bool is_named = error.ranks() == std::vector<int>{scene.victim};
        const std::string what = error.what();
        const bool is_found = (what.find("Plan #") == what.npos) ==
                              (what.find(", of the plan made at missing_rank.cpp:") == what.npos);
        if (rank == scene.victim || (is_named && is_found && waited < 2 * limit))
            std::printf("told %d: %s\n", rank, error.what());
        else
            std::printf("rank %d expected rank %d, got after %.1f s: %s\n", rank, scene.victim,
                        waited.count(), error.what());
    } catch (const std::exception& error) {
        std::printf("rank %d got another error: %s\n", rank, error.what());
    }
    std::fflush(stdout);
    // The communicator stays lost after the first error.
    try {
        if (scene.how != "slow") {
            barrier(comm);
            std::printf("rank %d: the communicator is not lost\n", rank);
        }
    } catch (const DeadlineError&) {
    } catch (const std::exception& error) {
        std::printf("rank %d got another error of the lost communicator: %s\n", rank, error.what());
    }
}

/// The other ranks wait in MPI_Finalize, and must report the rank for which they wait.
void close_late(const Communicator& comm, const Scene& scene) {
    set_message_sink([rank = comm.rank(), victim = scene.victim](Severity, std::string_view what) {
        const std::string expected = "rank " + std::to_string(victim) + " is missing";
        const bool is_named = what.find(expected) != std::string_view::npos;
        std::printf("%s %d: %s\n", is_named ? "told" : "rank", rank, std::string(what).c_str());
    });
    barrier(comm);
    if (comm.rank() == scene.victim) std::this_thread::sleep_for(2.5 * limit);
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::mt19937 random(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0);
    Scene scene;
    scene.how = argc > 2 ? argv[2] : "stops";
    const std::string transport = argc > 3 ? argv[3] : "direct";
    if (transport == "message") ::setenv("DISTVIEW_TRANSPORT", "message", 1);
    scene.wrapped = transport != "direct";
    scene.victim = static_cast<int>(random() % static_cast<unsigned>(size));
    scene.step = static_cast<int>(random() % 60);
    std::vector<int> processes(static_cast<std::size_t>(size));
    const int mine = ::getpid();
    MPI_Allgather(&mine, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    {
        const Kokkos::ScopeGuard kokkos(argc, argv);
        Communicator comm(MPI_COMM_WORLD);
        comm.set_deadline(limit);
        if (scene.how == "closes")
            close_late(comm, scene);
        else
            run(comm, scene);
        std::this_thread::sleep_for(limit / 2); // the others look at its state before it continues
        if (rank == (scene.victim + 1) % size && scene.how == "stops")
            ::kill(processes[static_cast<std::size_t>(scene.victim)], SIGCONT);
    }
    MPI_Finalize();
    return 0;
}
