// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that copies: small kernels, for which starting threads would take longer, run on the calling thread.
#include <distview/comm/impl/kernels/copy_boxes.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Adds, and counts the elements added by a thread other than the one that made this object.
struct Watched {
    std::atomic<long>* elsewhere;
    std::thread::id maker = std::this_thread::get_id();

    double operator()(double here, double incoming) const {
        if (std::this_thread::get_id() != maker) ++*elsewhere;
        return here + incoming;
    }
};

/// Work of `size` bytes that records the thread that does it.
struct Noted {
    std::thread::id* ran_on;
    std::int64_t size;

    void operator()(int i) const {
        ran_on[i] = std::this_thread::get_id();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    std::int64_t bytes(int, int) const { return size; }
};

ArrayLayout square(const Communicator& comm, std::int64_t n) {
    return {
        ProcessGrid{comm.size(), 1},
        {block(n, {.padding = 2, .periodic = true}), block(n, {.padding = 2, .periodic = true})}};
}

TEST(SmallKernels, OfPaddingRunOnTheCallingThread) {
    const Exec exec;
    if (exec.concurrency() == 1) GTEST_SKIP() << "one thread";
    const Communicator comm(MPI_COMM_SELF);
    const ArrayLayout layout = square(comm, 512);
    const auto u = make_dist_view<double**>(exec, "u", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    std::atomic<long> elsewhere{0};
    plan.combine(exec, Watched{&elsewhere}, u);
    EXPECT_EQ(elsewhere, 0);
}

TEST(SmallKernels, OfRedistributionRunOnTheCallingThread) {
    const Exec exec;
    if (exec.concurrency() == 1) GTEST_SKIP() << "one thread";
    const Communicator comm(MPI_COMM_SELF);
    for (const std::int64_t n : {200, 1000}) {
        const ArrayLayout layout = square(comm, n);
        const auto a = make_dist_view<double**>(exec, "a", comm, layout);
        const auto b = make_dist_view<double**>(exec, "b", comm, layout);
        RedistributionPlan plan(comm, layout, layout);
        std::atomic<long> elsewhere{0};
        plan.combine(exec, Watched{&elsewhere}, a, b);
        const bool is_small = n == 200; // else 8 MB, for all threads
        EXPECT_EQ(elsewhere == 0, is_small) << elsewhere << " elements, n = " << n;
    }
}

// A listener sees the kernel in either case, and no fence of all instances. Whether a small kernel
// is on this instance shows only if Kokkos numbers instances (see escapes_from()).
TEST(SmallKernels, AreOfTheGivenInstanceAsLargeOnesAre) {
    const Exec exec = separate_instance<Exec>();
    for (const std::int64_t bytes : {std::int64_t{8}, impl::tuning::one_thread_bytes}) {
        std::vector<std::thread::id> ran_on(64);
        KokkosEvents events;
        impl::run_boxes(exec, "distview::test::kernel", 0, 64, Noted{ran_on.data(), bytes});
        exec.fence("distview::test::fence");
        events.stop();
        EXPECT_EQ(labels(events.kernels()), std::vector<std::string>{"distview::test::kernel"});
        EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
        const auto elsewhere = std::count_if(ran_on.begin(), ran_on.end(), [](std::thread::id id) {
            return id != std::this_thread::get_id();
        });
        const bool is_shared = exec.concurrency() > 1 && bytes >= impl::tuning::one_thread_bytes;
        EXPECT_EQ(elsewhere > 0, is_shared) << elsewhere << " of 64, " << bytes << " bytes";
    }
}

TEST(SmallKernels, OnceLargeAreOnTheThreadsOfTheGivenInstance) {
    expect_threads_of_given_instance<Exec>({"distview::test::kernel"}, [](const Exec& exec) {
        std::vector<std::thread::id> ran_on(64);
        impl::run_boxes(exec, "distview::test::kernel", 0, 64,
                        Noted{ran_on.data(), impl::tuning::one_thread_bytes});
    });
}

TEST(SmallKernels, AreThoseThatTouchFewCacheLines) {
    impl::CopyBox box;
    box.element_size = 8;
    EXPECT_EQ(impl::touched_bytes(box), 64);
    box.rank = 2;
    box.axes[0] = {10, 800, 800};
    box.axes[1] = {5, 80, 8};
    EXPECT_EQ(impl::touched_bytes(box), 10 * 5 * 64);
    box.element_size = 100;
    box.lane_count = 1;
    box.lanes[0] = {0, 0, 8};
    EXPECT_EQ(impl::touched_bytes(box), 10 * 5 * 164);
    EXPECT_EQ((impl::CopyBoxes{&box}.bytes(0, 0)), 0);
}

} // namespace

} // namespace distview::testing
