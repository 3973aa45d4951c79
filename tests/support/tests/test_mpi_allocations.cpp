// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

namespace distview::testing {

namespace {

template <class T>
T* escape(T* memory) {
    asm volatile("" : "+r"(memory) : : "memory");
    return memory;
}

// The first expectation shows that MPI_Comm_dup does allocate.
TEST(CountAllocations, LeavesOutThoseOfMpi) {
    MPI_Comm communicator = MPI_COMM_NULL;
    const AllocationCounts behind_the_wrapper =
        count_allocations([&communicator] { PMPI_Comm_dup(MPI_COMM_WORLD, &communicator); });
    PMPI_Comm_free(&communicator);
    EXPECT_GT(behind_the_wrapper.heap, 0);

    const AllocationCounts counts = count_allocations([&communicator] {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
        std::vector<MPI_Request> requests(1);
        MPI_Ibarrier(communicator, requests.data());
        MPI_Waitall(1, requests.data(), MPI_STATUSES_IGNORE);
        MPI_Comm_free(&communicator);
    });
    EXPECT_EQ(counts.heap, 1) << counts.description;
}

TEST(CountAllocations, LeavesOutThoseOfMpisThreads) {
    const AllocationCounts counts = count_allocations([] {
        MPI_Barrier(MPI_COMM_WORLD);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_EQ(counts.heap, 0) << counts.description;
}

TEST(CountAllocations, FindsOneBetweenMpiCalls) {
    const AllocationCounts counts = count_allocations([] {
        MPI_Barrier(MPI_COMM_WORLD);
        delete escape(new int);
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_EQ(counts.heap, 1) << counts.description;
}

} // namespace

} // namespace distview::testing
