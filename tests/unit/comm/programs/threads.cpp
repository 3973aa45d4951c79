// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators and exchanges used by several threads of a rank, under MPI_THREAD_MULTIPLE.
#include "lifecycle_cases.hpp"

#include <distview/comm.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using testing::expect;

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

std::array<MPI_Comm, 2> two_duplicates() {
    std::array<MPI_Comm, 2> comms{};
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comms;
}

/// Waits long enough for the other thread to enter MPI_Comm_dup.
void give_way() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

/// Rank 0 starts with the first communicator, the others with the second one. MPI_Finalize frees
/// the duplicates, in a different order on each rank.
void make_in_opposite_order(int argc, char** argv) {
    const Runtime runtime(argc, argv, MPI_THREAD_MULTIPLE);
    expect(runtime.thread_level() == MPI_THREAD_MULTIPLE, "an MPI that takes several threads");
    if (runtime.thread_level() < MPI_THREAD_MULTIPLE) return;
    const std::array<MPI_Comm, 2> parents = two_duplicates();
    std::array<std::unique_ptr<Communicator>, 2> made;
    const std::size_t first = world_rank() == 0 ? 0 : 1;
    const auto make = [&](std::size_t i) { made[i] = std::make_unique<Communicator>(parents[i]); };
    std::thread one(make, first);
    give_way();
    std::thread other(make, 1 - first);
    one.join();
    other.join();
    for (std::size_t i = 0; i < made.size(); ++i) {
        expect(made[i]->rank() == world_rank(), "the rank");
        expect(Communicator(parents[i]).mpi() == made[i]->mpi(), "one duplicate a communicator");
        static std::vector<Communicator> kept; // lives beyond MPI_Finalize
        kept.push_back(*made[i]);
    }
}

/// MPI does not allow two threads to make collective calls on one communicator at once: the second
/// thread waits, and shares the duplicate made by the first.
void make_from_one_parent(int argc, char** argv) {
    const Runtime runtime(argc, argv, MPI_THREAD_MULTIPLE);
    expect(runtime.thread_level() == MPI_THREAD_MULTIPLE, "an MPI that takes several threads");
    if (runtime.thread_level() < MPI_THREAD_MULTIPLE) return;
    for (int round = 0; round < 20; ++round) {
        MPI_Comm parent = two_duplicates()[0];
        std::vector<std::thread> threads;
        std::array<MPI_Comm, 4> found{};
        for (MPI_Comm& comm : found)
            threads.emplace_back([&] { comm = Communicator(parent).mpi(); });
        for (std::thread& thread : threads) thread.join();
        for (MPI_Comm comm : found) expect(comm == found[0], "one duplicate for all threads");
        MPI_Comm_free(&parent);
    }
}

/// One thread drops the last references to earlier objects, including executions in flight, while
/// the other makes the next plans, binds arrays and executes.
void release_on_another_thread(int argc, char** argv) {
    const Runtime runtime(argc, argv, MPI_THREAD_MULTIPLE);
    expect(runtime.thread_level() == MPI_THREAD_MULTIPLE, "an MPI that takes several threads");
    if (runtime.thread_level() < MPI_THREAD_MULTIPLE) return;
    const Communicator comm(MPI_COMM_WORLD);
    const Kokkos::DefaultHostExecutionSpace exec;
    const ArrayLayout ring(ProcessGrid{comm.size()},
                           {block(2 * comm.size(), {.padding = 1, .periodic = true})});
    std::vector<std::shared_ptr<void>> before;
    for (int round = 0; round < 200; ++round) {
        std::thread dropping([dropped = std::exchange(before, {})]() mutable { dropped.clear(); });
        for (int i = 0; i < 8; ++i) {
            const auto array = make_dist_view<int*>(exec, "array", comm, ring);
            Kokkos::deep_copy(exec, array.owned(), comm.rank());
            const auto plan = std::make_shared<PaddingExchangePlan>(comm, ring);
            plan->execute(exec, array);
            expect(array.view()(0) == (comm.rank() + comm.size() - 1) % comm.size(), "padding");
            before.push_back(plan);
            using Handle = decltype(plan->start(exec, array));
            if (i == 7 && round % 10 == 5) // lines released after it stay in use
                before.push_back(std::make_shared<Handle>(plan->start(exec, array)));
            before.push_back(std::make_shared<DistView<int*>>(array));
        }
        dropping.join();
    }
}

constexpr testing::LifecycleCase cases[] = {
    {"make_in_opposite_order", make_in_opposite_order},
    {"make_from_one_parent", make_from_one_parent},
    {"release_on_another_thread", release_on_another_thread},
};

} // namespace

int main(int argc, char** argv) { return distview::testing::run_case(cases, argc, argv); }
