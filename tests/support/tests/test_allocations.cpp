// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/allocations.hpp>

#include "allocation_hooks.hpp"
#include "sanitizers.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace distview::testing {

namespace {

/// Keeps the compiler from removing an unused allocation.
template <class T>
T* escape(T* memory) {
    asm volatile("" : "+r"(memory) : : "memory");
    return memory;
}

struct Planted {
    const char* name;
    std::function<void()> allocate;
};

struct alignas(256) Aligned {
    char bytes[256];
};

const std::vector<Planted> planted{
    {"new", [] { delete escape(new int); }},
    {"new[]", [] { delete[] escape(new int[10]); }},
    {"nothrow new", [] { delete escape(new (std::nothrow) int); }},
    {"aligned new", [] { delete escape(new Aligned); }},
    {"malloc", [] { std::free(escape(std::malloc(77))); }},
    {"calloc", [] { std::free(escape(std::calloc(7, 11))); }},
#if !DISTVIEW_TESTING_TSAN
    {"aligned_alloc", [] { std::free(escape(std::aligned_alloc(64, 128))); }},
    {"posix_memalign",
     [] {
         void* memory = nullptr;
         if (::posix_memalign(&memory, 64, 100) == 0) {
             std::free(escape(memory));
         }
     }},
#endif
    {"std::string", [] { escape(std::string(100, 'x').data()); }},
};

TEST(CountAllocations, FindsEachPlantedOne) {
    for (const Planted& plant : planted) {
        const AllocationCounts counts = count_allocations(plant.allocate);
        EXPECT_EQ(counts.heap, 1) << plant.name << '\n' << counts.description;
        EXPECT_EQ(counts.kokkos, 0) << plant.name;
        EXPECT_NE(counts.description, "") << plant.name;
    }
}

TEST(CountAllocations, FindsRealloc) {
    void* memory = std::malloc(10);
    const AllocationCounts counts =
        count_allocations([&memory] { memory = escape(std::realloc(memory, 100000)); });
    std::free(memory);
    EXPECT_EQ(counts.heap, 1);
}

TEST(CountAllocations, CountsNothingWhereNothingIsAllocated) {
    std::vector<int> values(1000);
    const AllocationCounts counts = count_allocations([&values] {
        for (int& value : values) {
            value += *escape(&value);
        }
    });
    EXPECT_EQ(counts.heap, 0) << counts.description;
    EXPECT_EQ(counts.kokkos, 0);
    EXPECT_EQ(counts.description, "");
}

TEST(CountAllocations, FindsKokkosViews) {
    const AllocationCounts counts = count_allocations([] {
        const Kokkos::View<double*, Kokkos::HostSpace> view("planted", 100);
        escape(view.data());
    });
    EXPECT_EQ(counts.kokkos, 1);
    EXPECT_GE(counts.heap, 1);
    EXPECT_NE(counts.description.find("planted"), std::string::npos) << counts.description;
}

TEST(CountAllocations, FindsThoseOfOtherThreads) {
    CountAllocations counter;
    std::thread([] { delete[] escape(new int[10]); }).join();
    // Starting the thread allocates, too.
    EXPECT_GE(counter.stop().heap, 2);
}

// Such threads exist after MPI_Init.
TEST(CountAllocations, LeavesOutThoseOfIgnoredThreads) {
    std::promise<void> go;
    std::thread ignored([started = go.get_future()]() mutable {
        started.wait();
        delete[] escape(new int[10]);
    });
    impl::ignore_other_threads();
    CountAllocations counter;
    go.set_value();
    ignored.join();
    EXPECT_EQ(counter.stop().heap, 0) << counter.stop().description;
}

TEST(CountAllocations, FindsThoseInKernels) {
    const Kokkos::DefaultHostExecutionSpace exec;
    const auto launch = [&exec](int per_index) {
        Kokkos::parallel_for("planted",
                             Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(exec, 0, 100),
                             [per_index](int) {
                                 for (int i = 0; i < per_index; ++i) {
                                     delete escape(new int);
                                 }
                             });
        exec.fence("kernel with planted allocations");
    };
    launch(0);
    const std::int64_t without = count_allocations([&] { launch(0); }).heap;
    EXPECT_EQ(count_allocations([&] { launch(3); }).heap, without + 300);
}

TEST(CountAllocations, StopsWhereItIsTold) {
    CountAllocations counter;
    delete escape(new int);
    EXPECT_EQ(counter.stop().heap, 1);
    delete escape(new int);
    EXPECT_EQ(counter.stop().heap, 1);
}

TEST(CountAllocations, Nests) {
    CountAllocations outer;
    delete escape(new int);
    CountAllocations inner;
    delete escape(new int);
    inner.stop();
    delete escape(new int);
    outer.stop();
    EXPECT_EQ(inner.stop().heap, 1);
    EXPECT_EQ(outer.stop().heap, 3);
}

TEST(UncountedScope, HidesAllocationsOfThisThread) {
    const AllocationCounts counts = count_allocations([] {
        {
            const UncountedScope outer;
            {
                const UncountedScope inner;
            }
            delete escape(new int);
        }
        delete escape(new int);
    });
    EXPECT_EQ(counts.heap, 1);
}

} // namespace

} // namespace distview::testing
