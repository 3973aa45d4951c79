// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/mpi_counters.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace distview::testing {

namespace {

using Counts = std::map<int, MessageCount>;

/// Ranks in a ring:  0 -> 1 -> ... -> n-1 -> 0
int next() { return (rank() + 1) % rank_count(); }
int previous() { return (rank() + rank_count() - 1) % rank_count(); }

TEST(MpiCounters, CountAPersistentExchangeExactly) {
    std::array<double, 7> out{};
    std::array<double, 7> in{};
    std::array<MPI_Request, 2> requests{};
    MpiCounters set_up;
    MPI_Recv_init(in.data(), 7, MPI_DOUBLE, previous(), 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out.data(), 7, MPI_DOUBLE, next(), 5, MPI_COMM_WORLD, &requests[1]);
    EXPECT_EQ(set_up.stop().sent_total(), MessageCount{});

    MpiCounters counters;
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests.data());
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    const MpiTraffic& traffic = counters.stop();
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    EXPECT_EQ(traffic.sent, (Counts{{next(), {4, 4 * 7 * 8}}}));
    EXPECT_EQ(traffic.received, (Counts{{previous(), {4, 4 * 7 * 8}}}));
    EXPECT_EQ(traffic.collective_calls(), 0);
}

TEST(MpiCounters, CountEveryKindOfSend) {
    const int here = rank();
    int in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Status* no_status = MPI_STATUS_IGNORE;
    MpiCounters counters;
    using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
    for (const Send send : {static_cast<Send>(MPI_Send), static_cast<Send>(MPI_Ssend)}) {
        MPI_Irecv(&in, 1, MPI_INT, previous(), 1, MPI_COMM_WORLD, &request);
        send(&here, 1, MPI_INT, next(), 1, MPI_COMM_WORLD);
        MPI_Wait(&request, const_cast<MPI_Status*>(no_status));
        EXPECT_EQ(in, previous());
    }
    using Isend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    for (const Isend send : {static_cast<Isend>(MPI_Isend), static_cast<Isend>(MPI_Issend)}) {
        send(&here, 1, MPI_INT, next(), 1, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, previous(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(&here, 1, MPI_INT, next(), 1, &in, 1, MPI_INT, previous(), 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send(&here, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    const MpiTraffic& traffic = counters.stop();
    EXPECT_EQ(traffic.sent, (Counts{{next(), {5, 20}}}));
    EXPECT_EQ(traffic.received, (Counts{{previous(), {5, 20}}}));
    EXPECT_EQ(traffic.received_total(), (MessageCount{5, 20}));
}

TEST(MpiCounters, NamePeersByTheirRankInTheWorld) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
    const int peer_in_reversed = rank_count() - 1 - next();
    const double value = 1;
    double in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MpiCounters counters;
    MPI_Irecv(&in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, reversed, &request);
    MPI_Send(&value, 1, MPI_DOUBLE, peer_in_reversed, 1, reversed);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const MpiTraffic& traffic = counters.stop();
    MPI_Comm_free(&reversed);
    EXPECT_EQ(traffic.sent, (Counts{{next(), {1, 8}}}));
    EXPECT_EQ(traffic.received, (Counts{{MPI_ANY_SOURCE, {1, 8}}}));
}

TEST(MpiCounters, CountBytesOfDerivedTypes) {
    // 3 blocks of 2 out of 4 ints: 24 bytes are sent, 40 are spanned.
    MPI_Datatype strided = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 2, 4, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    std::array<int, 10> out{};
    std::array<int, 6> in{};
    MpiCounters counters;
    MPI_Sendrecv(out.data(), 1, strided, next(), 1, in.data(), 6, MPI_INT, previous(), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(counters.stop().sent_total(), (MessageCount{1, 24}));
    MPI_Type_free(&strided);
}

TEST(MpiCounters, CountCollectivesByName) {
    int value = 1;
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm duplicate = MPI_COMM_NULL;
    MpiCounters counters;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_free(&duplicate);
    const MpiTraffic& traffic = counters.stop();
    const std::map<std::string, std::int64_t> expected{
        {"MPI_Barrier", 1}, {"MPI_Allreduce", 2}, {"MPI_Ibcast", 1}, {"MPI_Comm_dup", 1}};
    EXPECT_EQ(traffic.collectives, expected);
    EXPECT_EQ(traffic.collective_calls(), 5);
    EXPECT_TRUE(traffic.sent.empty());
}

TEST(MpiCounters, DoNotSeeTheHarness) {
    MpiCounters counters;
    all_ranks(true);
    gather_on_all_ranks("text");
    EXPECT_EQ(counters.stop().collective_calls(), 0);
}

TEST(MpiCounters, CountOneSidedCalls) {
    int mine = 0;
    const int value = rank();
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&mine, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MpiCounters counters;
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT_EQ(counters.stop().one_sided, (std::map<std::string, std::int64_t>{{"MPI_Put", 1}}));
    MPI_Win_free(&window);
    EXPECT_EQ(mine, previous());
}

TEST(LiveMpiHandles, FollowCreationAndFreeing) {
    const MpiHandles before = live_mpi_handles();

    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    std::array<MPI_Request, 2> requests{};
    int in = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Comm_group(communicator, &group);
    MPI_Win_create_dynamic(MPI_INFO_NULL, communicator, &window);
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
    MPI_Info_create(&info);
    MPI_Recv_init(&in, 1, MPI_INT, previous(), 1, communicator, &requests[0]);
    MPI_Isend(&in, 0, MPI_INT, next(), 2, communicator, &requests[1]);

    const MpiHandles during = live_mpi_handles();
    EXPECT_EQ(during.communicators, before.communicators + 1);
    EXPECT_EQ(during.datatypes, before.datatypes + 1);
    EXPECT_EQ(during.groups, before.groups + 1);
    EXPECT_EQ(during.windows, before.windows + 1);
    EXPECT_EQ(during.ops, before.ops + 1);
    EXPECT_EQ(during.infos, before.infos + 1);
    EXPECT_EQ(during.requests, before.requests + 2);

    MPI_Recv(&in, 0, MPI_INT, previous(), 2, communicator, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT_EQ(live_mpi_handles().requests, before.requests + 1);
    MPI_Request_free(&requests[0]);
    MPI_Info_free(&info);
    MPI_Op_free(&op);
    MPI_Win_free(&window);
    MPI_Group_free(&group);
    MPI_Type_free(&type);
    MPI_Comm_free(&communicator);
    EXPECT_EQ(live_mpi_handles(), before) << describe(live_mpi_handles());
}

TEST(LiveMpiHandles, NullHandlesAreNone) {
    const MpiHandles before = live_mpi_handles();
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
    EXPECT_EQ(none, MPI_COMM_NULL);
    EXPECT_EQ(live_mpi_handles(), before);
}

} // namespace

} // namespace distview::testing
