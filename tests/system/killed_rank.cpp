// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank is killed at a random moment while all ranks exchange, redistribute and reduce. If MPI survives it, all other
// ranks must get an error with its rank within 2 s. Arguments: seed; "direct" (arrays in shared memory), "packed"
// (wrapped arrays) or "message". Each survivor prints a line.
#include "shared_or_wrapped.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <thread>

#include <sys/time.h>
#include <unistd.h>

namespace {

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Clock = std::chrono::steady_clock;

/// Kills this process after that time, wherever it is then.
void be_killed_in(int microseconds) {
    std::signal(SIGALRM, [](int) { ::kill(::getpid(), SIGKILL); });
    itimerval timer{};
    timer.it_value.tv_usec = microseconds;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void work(const Communicator& comm, bool wrapped, int victim, int moment) {
    const Exec exec;
    const std::int64_t n = 24 * comm.size();
    const ArrayLayout rows(ProcessGrid{comm.size(), 1},
                           {block(n, {.padding = 1, .periodic = true}), block(n)});
    const ArrayLayout columns(ProcessGrid{1, comm.size()}, {block(n), block(n)});
    const auto u = distview::testing::shared_or_wrapped(comm, rows, wrapped);
    const auto v = distview::testing::shared_or_wrapped(comm, columns, wrapped);
    PaddingExchangePlan exchange(comm, rows);
    RedistributionPlan move(comm, rows, columns);
    if (comm.rank() == victim) be_killed_in(moment);
    for (const auto begin = Clock::now(); Clock::now() - begin < std::chrono::seconds(30);) {
        exchange.execute(exec, u);
        move.execute(exec, u, v);
        all_reduce(comm, ReduceOperation::max, 1.0);
        exchange.execute(exec, u);
        const PaddingExchangePlan another(comm, rows);
    }
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // Open MPI writes to connections whose other end is closed.
    std::signal(SIGPIPE, SIG_IGN);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::mt19937 random(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0);
    const std::string how = argc > 2 ? argv[2] : "direct";
    if (how == "message") ::setenv("DISTVIEW_TRANSPORT", "message", 1);
    const int victim = static_cast<int>(random() % static_cast<unsigned>(size));
    const int moment = 1 + static_cast<int>(random() % 50000);
    {
        const Kokkos::ScopeGuard kokkos(argc, argv);
        try {
            const Communicator comm(MPI_COMM_WORLD);
            work(comm, how != "direct", victim, moment);
            std::printf("rank %d: nothing noticed\n", rank);
        } catch (const MpiError& error) {
            const std::string expected = text("rank ", victim, " of ", size, " ended");
            if (std::string(error.what()).find(expected) != std::string::npos)
                std::printf("survived %d: %s\n", rank, error.what());
            else
                std::printf("rank %d expected '%s', got: %s\n", rank, expected.c_str(),
                            error.what());
        } catch (const std::exception& error) {
            std::printf("rank %d got another error: %s\n", rank, error.what());
        }
        std::fflush(stdout);
        // MPI_Finalize of Open MPI 5.0.7 may wait forever after a process has ended. This process waits before it
        // exits, because ranks that have not noticed the failure yet would see its exit as a further one.
        std::this_thread::sleep_for(std::chrono::seconds(2));
        std::_Exit(0);
    }
}
