// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meetings of several nodes, simulated: every rank counts as a node.
#include "communicators.hpp"

#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/mpi/meeting.hpp>
#include <distview/comm/impl/mpi/node_messages.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::Calls;
using distview::impl::MeetingRecord;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class NodesThatMeet : public ::testing::Test {
protected:
    NodesThatMeet() {
        MPI_Comm_rank(comm.get(), &me);
        MPI_Comm_size(comm.get(), &n);
        std::vector<int> all(static_cast<std::size_t>(n));
        std::iota(all.begin(), all.end(), 0);
        const impl::CallLines mine = impl::own_call_line(me);
        calls = std::make_unique<Calls>(me, mine.ranks, mine.memory, true);
        nodes = std::make_unique<impl::NodeMessages>(*calls, comm.get(), all);
        meeting = std::make_unique<impl::Meeting>(*calls, nodes.get());
    }

    ~NodesThatMeet() override {
        MPI_Barrier(comm.get()); // the last messages have been sent
        impl::drop_messages(comm.get());
    }

    /// Meets all others in a call of that name; returns the least value of all ranks, or the text of the error.
    std::string meet(const char* name, std::uint64_t value) {
        calls->enter(name);
        std::string result;
        try {
            MeetingRecord record;
            record.least[0] = value;
            result = std::to_string(meeting->meet(record, "step").least[0]);
        } catch (const DeadlineError& error) {
            result = std::string("late: ") + error.what();
        } catch (const std::exception& error) {
            result = error.what();
        }
        calls->leave({}, false);
        return result;
    }

    /// Makes this rank throw once, after it has waited for `time`.
    template <class Exception>
    void throw_after(milliseconds time, const Exception& exception, bool is_late) {
        const Clock::time_point end = Clock::now() + time;
        const auto idle = [this, end, exception, is_late, thrown = false]() mutable {
            if (thrown || Clock::now() < end) return;
            thrown = true;
            calls->line().deadline_passed = is_late;
            throw exception;
        };
        calls->set_checks(idle, [] {});
    }

    OwnedComm comm = duplicate_world();
    int me = 0;
    int n = 0;
    std::unique_ptr<Calls> calls;
    std::unique_ptr<impl::NodeMessages> nodes;
    std::unique_ptr<impl::Meeting> meeting;
};

TEST_F(NodesThatMeet, BringValues) {
    for (std::uint64_t time = 0; time < 20; ++time)
        EXPECT_EQ(meet("step", 10 + time + static_cast<std::uint64_t>(me)),
                  std::to_string(10 + time));
}

TEST_F(NodesThatMeet, TellWhoMakesAnotherCall) {
    if (n == 1) return;
    const std::string result = meet(me == n - 1 ? "other" : "step", 1);
    EXPECT_NE(result.find("expected the same call on all ranks"), result.npos) << result;
    EXPECT_EQ(meet("step", 3), "3");
}

// An earlier exchange has waited for a rank of another node.
TEST_F(NodesThatMeet, NameNoRankThatAnEarlierCallWaitedFor) {
    calls->note_far_rank(n + 4);
    EXPECT_EQ(meet("step", 3), "3");
    EXPECT_EQ(calls->describe_waiting({}).find(std::to_string(n + 4)), std::string::npos)
        << calls->describe_waiting({});
}

// Each rank in turn is late at a meeting that each other rank in turn has abandoned. The others
// already have a record of the abandoning rank, which must not count as its consent.
TEST_F(NodesThatMeet, LearnThatOneHasGivenUp) {
    for (int late = 0; late < n; ++late)
        for (int gives_up = 0; gives_up < n; ++gives_up) {
            if (late == gives_up) continue;
            const bool passes = (late + gives_up) % 2 == 0; // whether the deadline passes
            if (me == gives_up) {
                if (passes)
                    throw_after(milliseconds(30), DeadlineError("no patience", {late}), true);
                else
                    throw_after(milliseconds(30), UsageError("no patience"), false);
            }
            int has_given_up = 0;
            if (me == late)
                MPI_Recv(&has_given_up, 1, MPI_INT, gives_up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            const std::string result = meet("step", 1);
            if (me == gives_up) MPI_Send(&has_given_up, 1, MPI_INT, late, 0, MPI_COMM_WORLD);
            const std::string expected = me == gives_up ? "no patience"
                                                        : "rank " + std::to_string(gives_up) +
                                                              " has given up step: no patience";
            EXPECT_EQ(result, passes ? "late: " + expected : expected)
                << "rank " << late << " was late, rank " << gives_up << " gave up";
            calls->line().deadline_passed = false;
            calls->set_checks({}, {});
            MPI_Barrier(MPI_COMM_WORLD);
            EXPECT_EQ(meet("again", 7), "7");
        }
}

} // namespace

} // namespace distview::testing
