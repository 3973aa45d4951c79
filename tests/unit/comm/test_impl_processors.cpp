// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/memory/neighbour_sync.hpp>
#include <distview/comm/impl/memory/processors.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace distview::testing {

namespace {

using distview::impl::ProcessorSet;
using distview::impl::share_of_processors;
using distview::impl::shares_processors;

ProcessorSet set_of(std::initializer_list<int> processors) {
    ProcessorSet result{};
    for (const int i : processors)
        result[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64);
    return result;
}

TEST(Processors, AreSharedByMoreProcessesThanThereAre) {
    const ProcessorSet zero = set_of({0});
    const ProcessorSet one = set_of({1});
    const ProcessorSet both = set_of({0, 1});
    const ProcessorSet far = set_of({100, 1023});
    using Sets = std::vector<ProcessorSet>;
    EXPECT_FALSE(shares_processors(zero, Sets{zero}));
    EXPECT_TRUE(shares_processors(zero, Sets{zero, zero}));
    EXPECT_FALSE(shares_processors(zero, Sets{zero, one}));
    EXPECT_FALSE(shares_processors(zero, Sets{zero, one, one})) << "the other one's matter";
    EXPECT_FALSE(shares_processors(both, Sets{both, both}));
    EXPECT_TRUE(shares_processors(both, Sets{both, both, both}));
    EXPECT_TRUE(shares_processors(both, Sets{both, zero, one}));
    EXPECT_FALSE(shares_processors(far, Sets{far, far, zero, zero}));
    EXPECT_FALSE(shares_processors({}, Sets{{}, {}})) << "the system does not tell";
}

TEST(Processors, AreAnEvenShareOrWhatAProcessIsBoundTo) {
    EXPECT_EQ(share_of_processors(8, 8, 1), 8);
    EXPECT_EQ(share_of_processors(8, 8, 2), 4) << "nobody is bound";
    EXPECT_EQ(share_of_processors(4, 8, 2), 4) << "each is bound to its own";
    EXPECT_EQ(share_of_processors(4, 8, 4), 2) << "two share a domain";
    EXPECT_EQ(share_of_processors(1, 1, 3), 1);
    EXPECT_EQ(share_of_processors(0, 0, 2), 0) << "the system does not tell";
}

/// Binds this process to the first processor available to it.
class FirstProcessor {
public:
    FirstProcessor() {
        ::sched_getaffinity(0, sizeof(m_before), &m_before);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; CPU_COUNT(&one) == 0 && i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &m_before)) CPU_SET(i, &one);
        ::sched_setaffinity(0, sizeof(one), &one);
    }
    ~FirstProcessor() { ::sched_setaffinity(0, sizeof(m_before), &m_before); }
    FirstProcessor(const FirstProcessor&) = delete;
    FirstProcessor& operator=(const FirstProcessor&) = delete;

private:
    cpu_set_t m_before{};
};

// As ranks are bound by taskset, or by mpirun's --cpu-set.
TEST(Processors, OfRanksThatAreBoundToOneAreShared) {
    const FirstProcessor bound;
    const OwnedComm parent = duplicate_world();
    EXPECT_EQ(distview::impl::state_of(Communicator(parent.get()))->calls().oversubscribed(),
              world_size() > 1);
    EXPECT_EQ(Communicator(parent.get()).processors(), 1);
}

TEST(Processors, OfAllRanksAreNoMoreThanThereAre) {
    const OwnedComm parent = duplicate_world();
    const int own = Communicator(parent.get()).processors();
    EXPECT_GE(own, 1);
    EXPECT_EQ(Communicator(parent.get()).processors(1 << 20), 1) << "others of the program";
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_LE(all, std::max(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), world_size()));
}

// A spinning thread blocks its neighbour on a shared core, so it must yield the core before it polls repeatedly.
TEST(Waiter, OffersTheCoreAtOnceWhereProcessesAreOversubscribed) {
    impl::SyncLine line;
    impl::Waiter waiter(true);
    int looks = 1;
    for (; !waiter.wait(line, 1); ++looks) {
    }
    EXPECT_LE(looks, 10) << "looks before some time had passed";
}

} // namespace

} // namespace distview::testing
