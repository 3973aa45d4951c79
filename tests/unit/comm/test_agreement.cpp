// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace distview::testing {

namespace {

/// The text that the library appends to the reason of rank `first`.
std::string suffix(int first, int failed = 1) {
    if (world_size() == 1) return "";
    return failed == 1
               ? text(" [rank ", first, " of ", world_size(), ']')
               : text(" [rank ", first, " of ", world_size(), "; ", failed, " ranks failed]");
}

/// Lets some ranks throw and expects exactly this type and text on this rank.
template <class Expected, class Action>
void expect_agreed(const std::string& message, Action&& action) {
    const Communicator comm(MPI_COMM_WORLD);
    try {
        agree_on(comm, "caller", action);
        ADD_FAILURE() << "nothing thrown, expected: " << message;
    } catch (const Error& error) {
        EXPECT_EQ(typeid(error), typeid(Expected)) << error.what();
        EXPECT_EQ(error.what(), message);
    }
    // The communicator is still usable.
    EXPECT_EQ(agree_on(comm, "caller", [] { return 7; }), 7);
}

/// Every single rank fails in turn.
template <class Expected, class Thrown>
void expect_agreed_from_every_rank(const std::string& message, const Thrown& thrown) {
    for (int failing = 0; failing < world_size(); ++failing)
        expect_agreed<Expected>(message + suffix(failing), [&] {
            if (world_rank() == failing) throw thrown;
        });
}

TEST(Agreement, CostsNoMessageOnOneNodeIfAllIsWell) {
    const Communicator comm(MPI_COMM_WORLD);
    MpiCounters counters;
    agree(comm, "caller", nullptr, 42);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.collective_calls(), 0);
    EXPECT_TRUE(traffic.sent.empty());
}

TEST(Agreement, CarriesEveryExceptionOfTheLibrary) {
    expect_agreed_from_every_rank<Error>("base", Error("base"));
    expect_agreed_from_every_rank<LayoutError>("a layout", LayoutError("a layout"));
    expect_agreed_from_every_rank<ShapeError>("a shape", ShapeError("a shape"));
    expect_agreed_from_every_rank<UsageError>("a use", UsageError("a use"));
    expect_agreed_from_every_rank<ProtocolError>("a rule", ProtocolError("a rule", "stop_gt_size"));
    expect_agreed_from_every_rank<MpiError>("a call", MpiError("a call", 3));
    expect_agreed_from_every_rank<DeadlineError>("a wait", DeadlineError("a wait", {1}));
}

TEST(Agreement, CarriesExceptionsOfOthersAsError) {
    expect_agreed_from_every_rank<Error>("what it says", std::runtime_error("what it says"));
    expect_agreed_from_every_rank<Error>("not in range", std::out_of_range("not in range"));
    expect_agreed_from_every_rank<Error>("out of memory", std::bad_alloc());
    expect_agreed_from_every_rank<Error>("unknown exception", 42);
}

TEST(Agreement, CarriesOutOfMemoryOfOneRank) {
    const int failing = world_size() - 1;
    expect_agreed<Error>("out of memory" + suffix(failing), [&] {
        constexpr std::size_t absurd = std::numeric_limits<std::size_t>::max() / 4;
        std::allocator<double> allocator;
        if (world_rank() == failing) static_cast<void>(allocator.allocate(absurd));
    });
}

TEST(Agreement, CarriesAllThatAProtocolErrorSays) {
    const Communicator comm(MPI_COMM_WORLD);
    const int failing = world_size() - 1;
    try {
        agree_on(comm, "caller", [&] {
            if (world_rank() == failing)
                throw ProtocolError("stop 11 of 10", "stop_gt_size", 2, "stop", 5);
        });
        ADD_FAILURE() << "nothing thrown";
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.what(), "stop 11 of 10" + suffix(failing));
        EXPECT_EQ(error.code(), "stop_gt_size");
        EXPECT_EQ(error.axis(), 2);
        EXPECT_EQ(error.key(), "stop");
        EXPECT_EQ(error.process(), 5);
    }
}

TEST(Agreement, CarriesTheCodeOfAnMpiError) {
    const Communicator comm(MPI_COMM_WORLD);
    try {
        agree_on(comm, "caller", [&] {
            if (world_rank() == 0) throw MpiError("MPI_Send failed", MPI_ERR_TRUNCATE);
        });
        ADD_FAILURE() << "nothing thrown";
    } catch (const MpiError& error) {
        EXPECT_EQ(error.code(), MPI_ERR_TRUNCATE);
    }
}

TEST(Agreement, CarriesEmptyAndLongMessages) {
    expect_agreed_from_every_rank<UsageError>("", UsageError(""));
    const std::string lengthy(3000000, 'x');
    expect_agreed<UsageError>(lengthy + suffix(0), [&] {
        if (world_rank() == 0) throw UsageError(lengthy);
    });
}

TEST(Agreement, TellsTheLowestRankAndHowManyFailed) {
    expect_agreed<UsageError>("reason of rank 0" + suffix(0, world_size()),
                              [] { throw UsageError(text("reason of rank ", world_rank())); });
    if (world_size() < 3) return;
    // Different types on different ranks; rank 0 throws nothing.
    expect_agreed<ShapeError>("reason of rank 1" + suffix(1, world_size() - 1), [] {
        if (world_rank() == 1) throw ShapeError("reason of rank 1");
        if (world_rank() > 1) throw std::bad_alloc();
    });
}

TEST(Agreement, RefusesDifferentDigests) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto digest_of = [](int different) {
        return world_rank() >= different ? std::uint64_t{1} << 63 : std::uint64_t{5};
    };
    for (int different = 1; different < world_size(); ++different)
        EXPECT_THROW_ON_ALL_RANKS(
            agree(comm, "caller", nullptr, digest_of(different)), UsageError,
            text("caller: expected the same arguments on all ranks, those of rank ", different,
                 " differ from those of rank 0"));
    EXPECT_NO_THROW(agree(comm, "caller", nullptr, std::numeric_limits<std::uint64_t>::max()));
    EXPECT_NO_THROW(agree(comm, "caller", nullptr, 0));
}

TEST(Agreement, TellsTheFirstArgumentThatDiffersAndBothValues) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto arguments_of = [](int different) {
        return [=] {
            return std::vector<Argument>{{"shape", "(4, 4)"},
                                         {"root", world_rank() >= different ? "1" : "0"},
                                         {"layout", world_rank() >= different
                                                        ? "axis 0: block\naxis 1: cyclic"
                                                        : "axis 0: block\naxis 1: block"}};
        };
    };
    for (int different = 1; different < world_size(); ++different)
        EXPECT_THROW_ON_ALL_RANKS(agree(comm, "caller", nullptr, world_rank() >= different ? 1 : 0,
                                        arguments_of(different)),
                                  UsageError,
                                  text("those of rank ", different,
                                       " differ from those of rank 0: root is 1 on rank ",
                                       different, ", 0 on rank 0"));
    const auto layout = [] {
        return std::vector<Argument>{
            {"layout", world_rank() == 0 ? "two axes\naxis 1: cyclic" : "two axes\naxis 1: block"}};
    };
    if (comm.size() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(agree(comm, "caller", nullptr, world_rank() == 0 ? 1 : 0, layout),
                              UsageError, "layout is axis 1: block on rank 1, axis 1: cyclic on");
}

TEST(Agreement, PrefersAFailureToADifference) {
    const Communicator comm(MPI_COMM_WORLD);
    const bool last = world_rank() == world_size() - 1;
    std::exception_ptr failure;
    if (last) failure = std::make_exception_ptr(LayoutError("the reason"));
    EXPECT_THROW_ON_ALL_RANKS(agree(comm, "caller", failure, last ? 0 : 99), LayoutError,
                              "the reason");
}

TEST(Agreement, ReturnsWhatTheActionReturns) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_EQ(agree_on(comm, "caller", [] { return std::string("text"); }), "text");
    const std::unique_ptr<int> moved =
        agree_on(comm, "caller", [] { return std::make_unique<int>(3); });
    EXPECT_EQ(*moved, 3);
    int calls = 0;
    agree_on(comm, "caller", [&] { ++calls; });
    EXPECT_EQ(calls, 1);
}

TEST(Agreement, ComparesArgumentsOfAnActionThatReturns) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto made = [&](int argument) {
        return agree_on(
            comm, "caller", [&] { return argument + 1; }, static_cast<std::uint64_t>(argument),
            [&] { return std::vector<Argument>{{"number", std::to_string(argument)}}; });
    };
    EXPECT_EQ(made(7), 8);
    if (world_size() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(made(world_rank() == 0 ? 7 : 9), UsageError,
                              "differ from those of rank 0: number is 9 on rank 1, 7 on rank 0");
}

TEST(Agreement, NeedsAnOpenCommunicator) {
    const OwnedComm parent = duplicate_world();
    Communicator comm(parent.get());
    comm.close();
    EXPECT_THROW_ON_ALL_RANKS(agree(comm, "caller", nullptr), UsageError,
                              "Communicator: used after close()");
}

TEST(Agreement, FollowsTheRanksOfItsCommunicator) {
    const OwnedComm reversed = reversed_world();
    const Communicator comm(reversed.get());
    const auto act = [&] {
        if (world_rank() == 0) throw UsageError("the reason");
    };
    EXPECT_THROW_ON_ALL_RANKS(agree_on(comm, "caller", act), UsageError,
                              "the reason" + suffix(world_size() - 1));
}

} // namespace

} // namespace distview::testing
