// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

constexpr const char* closed_text =
    "Communicator: used after close(), after MPI_Comm_free of the communicator that it duplicates, "
    "or after MPI_Finalize";

std::int64_t communicator_count() { return live_mpi_handles().communicators; }

TEST(Communicator, NumbersRanksAsTheCommunicatorItDuplicates) {
    const Communicator world(MPI_COMM_WORLD);
    EXPECT_EQ(world.rank(), world_rank());
    EXPECT_EQ(world.size(), world_size());
    const OwnedComm reversed = reversed_world();
    const Communicator backwards(reversed.get());
    EXPECT_EQ(backwards.rank(), world_size() - 1 - world_rank());
    const Communicator self(MPI_COMM_SELF);
    EXPECT_EQ(self.size(), 1);
    EXPECT_EQ(self.rank(), 0);
}

TEST(Communicator, IsADuplicate) {
    const OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    int comparison = MPI_UNEQUAL;
    MPI_Comm_compare(parent.get(), comm.mpi(), &comparison);
    EXPECT_EQ(comparison, MPI_CONGRUENT);
}

// A probe that finds a message does not make MPI progress. If MPI copies long messages at once, as it may within a
// node, the fault cannot show: comm.communicator.progress makes MPI send them in pieces.
TEST(Communicator, LetsMpiWorkWhileItWaitsWhateverMessagesCome) {
    if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
    const OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    const int odd_tag = 77;
    std::vector<char> sent(8 << 20, 'x');
    MPI_Request request = MPI_REQUEST_NULL;
    char byte = 'y';
    if (comm.rank() == 2) MPI_Send(&byte, 1, MPI_CHAR, 0, odd_tag, comm.mpi());
    if (comm.rank() == 0) {
        MPI_Probe(2, odd_tag, comm.mpi(), MPI_STATUS_IGNORE);
        MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, 1, 0, parent.get(),
                  &request);
    }
    if (comm.rank() == 1) {
        std::vector<char> received(sent.size());
        MPI_Recv(received.data(), static_cast<int>(received.size()), MPI_CHAR, 0, 0, parent.get(),
                 MPI_STATUS_IGNORE);
        EXPECT_EQ(received, sent);
    }
    // Rank 1 gets here after it has received the message, for which rank 0 must make MPI progress.
    agree(comm, "test", nullptr);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (comm.rank() == 0) MPI_Recv(&byte, 1, MPI_CHAR, 2, odd_tag, comm.mpi(), MPI_STATUS_IGNORE);
}

TEST(Communicator, SharesOneDuplicatePerCommunicator) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    const Communicator first(parent.get());
    EXPECT_EQ(communicator_count(), before + 1);
    MpiCounters counters;
    const Communicator second(parent.get());
    const Communicator copy = first;
    EXPECT_EQ(counters.stop().collective_calls(), 0);
    EXPECT_EQ(communicator_count(), before + 1);
    EXPECT_EQ(first.mpi(), second.mpi());
    EXPECT_EQ(first.mpi(), copy.mpi());
    EXPECT_TRUE(first == second);
    EXPECT_TRUE(first == copy);
}

TEST(Communicator, IsEqualToThoseOfTheSameDuplicateOnly) {
    const OwnedComm parent = duplicate_world();
    const OwnedComm other_parent = duplicate_world();
    Communicator comm(parent.get());
    const Communicator copy = comm;
    const Communicator other(other_parent.get());
    EXPECT_FALSE(comm == other); // although it has the same ranks
    comm.close();
    EXPECT_TRUE(comm == copy);
    const Communicator next(parent.get());
    EXPECT_TRUE(comm != next);
    EXPECT_TRUE(next == Communicator(parent.get()));
}

TEST(Communicator, RefusesDeadlinesThatAreNone) {
    Communicator comm(MPI_COMM_WORLD);
    for (const double seconds : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_THROW_ON_ALL_RANKS(
            comm.set_deadline(std::chrono::duration<double>(seconds)), UsageError,
            "Communicator::set_deadline: expected a number of seconds >= 0, got ");
    comm.set_deadline(std::chrono::seconds(0));
}

TEST(Communicator, MakesNothingIfTheEnvironmentHasNoDeadline) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    for (const char* value : {"soon", "5s", "-1", "nan", "inf", " "}) {
        ::setenv("DISTVIEW_DEADLINE", value, 1);
        EXPECT_THROW_ON_ALL_RANKS(Communicator(parent.get()), UsageError,
                                  "DISTVIEW_DEADLINE: expected a number of seconds >= 0, got '");
    }
    ::setenv("DISTVIEW_DEADLINE", "60.5", 1);
    ::setenv("DISTVIEW_DEADLINE_ABORT", "yes", 1);
    EXPECT_THROW_ON_ALL_RANKS(Communicator(parent.get()), UsageError,
                              "DISTVIEW_DEADLINE_ABORT: expected 0 or 1, got 'yes'");
    EXPECT_EQ(communicator_count(), before);
    ::setenv("DISTVIEW_DEADLINE_ABORT", "0", 1);
    EXPECT_NO_THROW(Communicator(parent.get()));
    ::unsetenv("DISTVIEW_DEADLINE");
    ::unsetenv("DISTVIEW_DEADLINE_ABORT");
}

TEST(Communicator, MakesNothingIfTheEnvironmentOfOneRankHasNoDeadline) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    if (world_rank() == world_size() - 1) ::setenv("DISTVIEW_DEADLINE", "soon", 1);
    try {
        const Communicator comm(parent.get());
        ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
        const int last = world_size() - 1;
        EXPECT_EQ(std::string(error.what()),
                  "DISTVIEW_DEADLINE: expected a number of seconds >= 0, got 'soon'" +
                      (last > 0 ? text(" [rank ", last, " of ", last + 1, ']') : std::string()));
    }
    ::unsetenv("DISTVIEW_DEADLINE");
    EXPECT_EQ(communicator_count(), before);
    EXPECT_NO_THROW(Communicator(parent.get()));
}

TEST(Communicator, StaysWithTheCommunicatorWhenNobodyHoldsIt) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    const MPI_Comm duplicate = Communicator(parent.get()).mpi();
    EXPECT_EQ(communicator_count(), before + 1);
    EXPECT_EQ(Communicator(parent.get()).mpi(), duplicate);
}

TEST(Communicator, IsNotInheritedByDuplicatesOfItsParent) {
    const OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    MPI_Comm sibling = MPI_COMM_NULL;
    MPI_Comm_dup(parent.get(), &sibling);
    const OwnedComm owned_sibling(sibling);
    EXPECT_NE(Communicator(sibling).mpi(), comm.mpi());
}

TEST(Communicator, ClosesForAllCopies) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    Communicator comm(parent.get());
    const Communicator copy = comm;
    EXPECT_TRUE(copy.is_open());
    comm.close();
    EXPECT_EQ(communicator_count(), before);
    EXPECT_FALSE(comm.is_open());
    EXPECT_FALSE(copy.is_open());
    EXPECT_THROW_ON_ALL_RANKS(copy.rank(), UsageError, closed_text);
    EXPECT_THROW_ON_ALL_RANKS(copy.size(), UsageError, closed_text);
    EXPECT_THROW_ON_ALL_RANKS(copy.mpi(), UsageError, closed_text);
    EXPECT_THROW_ON_ALL_RANKS(comm.close(), UsageError, closed_text);
}

TEST(Communicator, CanBeMadeAgainAfterClose) {
    const OwnedComm parent = duplicate_world();
    const std::int64_t before = communicator_count();
    Communicator closed(parent.get());
    closed.close();
    const Communicator again(parent.get());
    EXPECT_TRUE(again.is_open());
    EXPECT_FALSE(closed.is_open());
    EXPECT_EQ(again.size(), world_size());
    EXPECT_EQ(communicator_count(), before + 1);
    EXPECT_EQ(Communicator(parent.get()).mpi(), again.mpi());
}

TEST(Communicator, ClosesWithItsParent) {
    const std::int64_t before = communicator_count();
    OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    const Communicator inner(comm.mpi()); // a duplicate of the duplicate
    EXPECT_EQ(communicator_count(), before + 3);
    parent.free();
    EXPECT_EQ(communicator_count(), before);
    EXPECT_FALSE(comm.is_open());
    EXPECT_FALSE(inner.is_open());
    EXPECT_THROW_ON_ALL_RANKS(comm.rank(), UsageError, closed_text);
}

TEST(Communicator, LeavesNothingBehindHoweverManyAreMade) {
    const MpiHandles before = live_mpi_handles();
    for (int i = 0; i < 50; ++i) {
        const OwnedComm parent = duplicate_world();
        Communicator comm(parent.get());
        if (i % 2 == 0) comm.close();
    }
    EXPECT_EQ(live_mpi_handles(), before) << describe(live_mpi_handles());
}

void count_call(MPI_Comm*, int*, ...) {}

TEST(Communicator, LeavesTheCallersErrorHandlerAlone) {
    const OwnedComm parent = duplicate_world();
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(parent.get(), handler);
    const Communicator comm(parent.get());
    const Communicator world(MPI_COMM_WORLD);

    const auto handler_of = [](MPI_Comm mpi) {
        MPI_Errhandler found = MPI_ERRHANDLER_NULL;
        MPI_Comm_get_errhandler(mpi, &found);
        MPI_Errhandler copy = found;
        MPI_Errhandler_free(&copy);
        return found;
    };
    EXPECT_EQ(handler_of(parent.get()), handler);
    EXPECT_EQ(handler_of(MPI_COMM_WORLD), MPI_ERRORS_ARE_FATAL);
    EXPECT_EQ(handler_of(comm.mpi()), MPI_ERRORS_RETURN);
    EXPECT_EQ(handler_of(world.mpi()), MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

TEST(Communicator, TurnsErrorsOfMpiIntoExceptions) {
    const Communicator comm(MPI_COMM_WORLD);
    const int nobody = comm.size() + 5;
    int value = 0;
    try {
        check_mpi(MPI_Send(&value, 1, MPI_INT, nobody, 0, comm.mpi()), "MPI_Send");
        ADD_FAILURE() << "nothing thrown";
    } catch (const MpiError& error) {
        int error_class = MPI_SUCCESS;
        MPI_Error_class(error.code(), &error_class);
        EXPECT_EQ(error_class, MPI_ERR_RANK);
        EXPECT_TRUE(std::string(error.what()).starts_with("MPI_Send failed: ")) << error.what();
    }
    EXPECT_NO_THROW(check_mpi(MPI_SUCCESS, "MPI_Send"));
}

TEST(Communicator, RefusesWhatIsNoCommunicatorOfItsKind) {
    EXPECT_THROW_ON_ALL_RANKS(Communicator(MPI_COMM_NULL), UsageError,
                              "Communicator: got MPI_COMM_NULL");
}

TEST(Communicator, RefusesIntercommunicators) {
    if (world_size() == 1) GTEST_SKIP() << "needs two groups";
    const int side = world_rank() == 0 ? 0 : 1;
    const OwnedComm group = split_world(side, 0);
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Intercomm_create(group.get(), 0, MPI_COMM_WORLD, side == 0 ? 1 : 0, 0, &between);
    const OwnedComm owned(between);
    EXPECT_THROW_ON_ALL_RANKS(Communicator{between}, UsageError,
                              "Communicator: expected an intracommunicator");
}

} // namespace

} // namespace distview::testing
