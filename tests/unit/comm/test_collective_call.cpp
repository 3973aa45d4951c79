// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"
#include "impl_meetings.hpp"
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::gather_pieces;
using distview::impl::scatter_pieces;

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Call {
    std::string name; ///< the name in errors
    std::function<void(const Communicator&)> make;
};

std::vector<Call> calls() {
    const auto layout_of = [](const Communicator& comm) {
        return ArrayLayout(ProcessGrid{comm.size()}, {block(24, {.padding = 1})});
    };
    return {
        {"all_reduce(min)", [](const auto& c) { all_reduce(c, ReduceOperation::min, 1.0); }},
        {"all_reduce(max)", [](const auto& c) { all_reduce(c, ReduceOperation::max, 1.0); }},
        {"all_reduce(sum)", [](const auto& c) { all_reduce(c, ReduceOperation::sum, 1.0); }},
        {"all_gather", [](const auto& c) { all_gather(c, 1); }},
        {"broadcast",
         [](const auto& c) {
             std::vector<std::byte> bytes(100);
             broadcast(c, 0, std::span(bytes));
         }},
        {"gather_bytes",
         [](const auto& c) {
             const auto ranks = static_cast<std::size_t>(c.size());
             const std::vector<std::byte> mine(8);
             std::vector<std::byte> all(8 * ranks);
             gather_bytes(c, 0, mine, std::vector<std::int64_t>(ranks, 8), all);
         }},
        {"gather_pieces",
         [](const auto& c) {
             const std::vector<std::byte> mine(8);
             const std::vector<std::int64_t> sizes(static_cast<std::size_t>(c.size()), 8);
             gather_pieces(c, 0, mine, sizes, {}, [](int, std::int64_t, const auto&) {});
         }},
        {"scatter_pieces",
         [](const auto& c) {
             std::vector<std::byte> mine(8);
             const std::vector<std::int64_t> sizes(static_cast<std::size_t>(c.size()), 8);
             scatter_pieces(c, 0, sizes, {}, [](int, std::int64_t, const auto&) {}, mine);
         }},
        {"agreement", [](const auto& c) { agree(c, "agreement", nullptr); }},
        {"program's own",
         [](const auto& c) {
             const CollectiveCall call(c, "program's own");
             all_gather(c, 2);
         }},
        {"make_dist_view",
         [=](const auto& c) { make_dist_view<double*>(Exec(), "a", c, layout_of(c)); }},
        {"PaddingExchangePlan",
         [=](const auto& c) { const PaddingExchangePlan plan(c, layout_of(c)); }},
        {"RedistributionPlan",
         [=](const auto& c) { const RedistributionPlan plan(c, layout_of(c), layout_of(c)); }},
    };
}

// One rank makes another call: all ranks get the same error, and the communicator is in step afterwards.
TEST(CollectiveCall, TellsWhichCallsMet) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const std::vector<Call> all = calls();
    int odd = 0;
    for (const Call& usual : all)
        for (const Call& other : all) {
            odd = (odd + 1) % comm.size();
            if (&usual == &other) continue;
            SCOPED_TRACE(usual.name + " and " + other.name);
            EXPECT_THROW_ON_ALL_RANKS((comm.rank() == odd ? other : usual).make(comm), UsageError,
                                      text(other.name, " on rank ", odd));
            EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
        }
}

// Ranks do not wait for a late rank before they report the difference; the late rank then reports the same.
TEST(CollectiveCall, TellsTheSameOnARankThatComesLate) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 3) return;
    const auto call = [&] {
        if (comm.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        all_reduce(comm, comm.rank() == 1 ? ReduceOperation::max : ReduceOperation::min, 1);
    };
    EXPECT_THROW_ON_ALL_RANKS(call(), UsageError, "all_reduce(max) on rank 1");
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

TEST(CollectiveCall, TellsWhichStepsMet) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const auto call = [&](bool is_odd) {
        const CollectiveCall whole(comm, "whole");
        all_gather(comm, 1);
        if (is_odd)
            all_reduce(comm, ReduceOperation::max, 1);
        else
            all_reduce(comm, ReduceOperation::min, 1);
    };
    EXPECT_THROW_ON_ALL_RANKS(call(comm.rank() == comm.size() - 1), UsageError,
                              text("whole (all_reduce(max)) on rank ", comm.size() - 1));
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

// A rank skips a call: its next call meets the skipped one of the others.
TEST(CollectiveCall, TellsThatOneRankLeavesOneOut) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const auto second = [&] { all_gather(comm, 1); };
    if (comm.rank() == 0)
        EXPECT_THROW(second(), UsageError);
    else
        EXPECT_THROW(all_reduce(comm, ReduceOperation::max, 1), UsageError);
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

TEST(CollectiveCall, LeavesByAnErrorOfOneRankWithoutAgreement) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const auto call = [&] {
        const CollectiveCall whole(comm, "whole");
        if (comm.rank() == 0) throw UsageError("of rank 0 alone");
        all_gather(comm, 1);
    };
    try {
        call();
        ADD_FAILURE() << "nothing thrown";
    } catch (const UsageError& error) {
        const std::string expected =
            comm.rank() == 0 ? "of rank 0 alone" : "rank 0 has left whole with an error";
        EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

/// The text of the UsageError thrown by a call; "" if it succeeds.
std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

// A SingleCall counts also if the rank throws before its collective call, and counts only once.
TEST(CollectiveCall, CountsASingleCallThatOneRankRefusesOrLeaves) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1 || !compares_calls_in_memory(comm)) return;
    const auto step = [&](bool refuses, bool leaves) {
        const SingleCall call(comm, "step");
        require<UsageError>(!refuses, "refused by this rank");
        all_gather(comm, 1);
        require<UsageError>(!leaves, "left by this rank");
    };
    for (int odd = 0; odd < comm.size(); ++odd) {
        const bool is_odd = comm.rank() == odd;
        const std::string error = error_of([&] { step(is_odd, false); });
        EXPECT_EQ(error == "refused by this rank", is_odd) << error;
        EXPECT_NE(error, "");
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
        EXPECT_EQ(error_of([&] { step(false, is_odd); }), is_odd ? "left by this rank" : "");
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
    }
}

bool tells_of_the_end(const std::string& error, const std::string& of = "") {
    return error.find("MPI_Finalize or MPI_Comm_free" + of) != std::string::npos;
}

// Uses MPI_Comm_free, which does for one communicator what MPI_Finalize does for all.
TEST(CollectiveCall, TellsThatARankHasNoFurtherCall) {
    if (world_size() == 1) return;
    int odd = 0;
    for (const Call& call : calls()) {
        odd = (odd + 1) % world_size();
        const OwnedComm world = duplicate_world();
        const Communicator comm(world.get());
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
        for (int time = 0; time < (comm.rank() == odd ? 0 : 3); ++time) {
            const std::string error = error_of([&] { call.make(comm); });
            EXPECT_TRUE(tells_of_the_end(error, text(" on rank ", odd)))
                << call.name << ": " << error;
        }
    }
}

// After `times` executions one rank frees the communicator while the others continue. Ranks that do
// not need it must get right values, and at last every rank must get an error.
void free_during_executions(Transport transport, bool is_borrowed, int times) {
    SCOPED_TRACE(text(to_string(transport), is_borrowed ? ", borrowed, " : ", ", times, " times"));
    if (!is_possible(Communicator(MPI_COMM_WORLD), transport)) return;
    const TransportSetting setting(transport);
    OwnedComm world = duplicate_world();
    const Communicator comm(world.get());
    const ArrayLayout layout = ring(comm);
    const NumberedArray local = make_array(comm, layout);
    const NumberedArray array =
        is_borrowed ? NumberedArray(layout, comm.rank(), local.view())
                    : NumberedArray(make_dist_view<double**>(Exec(), "array", comm, layout));
    PaddingExchangePlan plan(comm, layout);
    plan.bind(Exec(), array);
    const bool leaves = comm.rank() == comm.size() - 1;
    std::string error;
    for (int time = 0; time < (leaves ? times : times + 100) && error.empty(); ++time) {
        number(array, time);
        error = error_of([&] { plan.execute(Exec(), array); });
        if (error.empty()) {
            EXPECT_EQ(find_wrong_number(array, time), "");
        }
    }
    EXPECT_EQ(error.empty(), leaves) << error;
    if (!leaves) {
        EXPECT_TRUE(tells_of_the_end(error_of([&] { all_gather(comm, 1); })));
    }
    world.free();
    int told = tells_of_the_end(error) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(told, 1) << error;
}

TEST(CollectiveCall, TellsInExecutionsThatARankHasNoFurtherCall) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1 || !compares_calls_in_memory(comm)) return;
    free_during_executions(Transport::direct, false, 0);
    free_during_executions(Transport::direct, false, 20);
    free_during_executions(Transport::direct, true, 1);
    free_during_executions(Transport::message, false, 0);
    free_during_executions(Transport::message, true, 100);
}

// Rank 0 has begun an exchange that the others skip: it waits for two seconds before it closes its messages.
TEST(CollectiveCall, HasNoDeadlineOnceAllRanksClose) {
    const Communicator all(MPI_COMM_WORLD);
    if (all.size() == 1) GTEST_SKIP() << "needs others";
    static std::atomic<int> warnings;
    warnings = 0;
    const MessageSink before = set_message_sink([](Severity severity, std::string_view) {
        if (severity == Severity::warning) ++warnings;
    });
    {
        const TransportSetting setting(Transport::message);
        OwnedComm world = duplicate_world();
        Communicator comm(world.get());
        const auto array = make_dist_view<double**>(Exec(), "array", comm, ring(comm));
        PaddingExchangePlan plan(comm, ring(comm));
        plan.bind(Exec(), array);
        barrier(comm);
        comm.set_deadline(std::chrono::milliseconds(1500));
        if (comm.rank() == 0) static_cast<void>(plan.start(Exec(), array));
        world.free();
    }
    set_message_sink(before);
    EXPECT_EQ(warnings, 0);
}

// Rank 0 alone throws and leaves the program; the others execute a plan in the call that it has left.
TEST(CollectiveCall, TellsThatARankHasLeftACallAndHasNoFurtherOne) {
    const Communicator all(MPI_COMM_WORLD);
    if (all.size() == 1 || !compares_calls_in_memory(all)) return;
    for (const Transport transport : {Transport::direct, Transport::message}) {
        if (!is_possible(all, transport)) continue;
        const TransportSetting setting(transport);
        OwnedComm world = duplicate_world();
        const Communicator comm(world.get());
        const auto array = make_dist_view<double**>(Exec(), "array", comm, ring(comm));
        PaddingExchangePlan plan(comm, ring(comm));
        plan.bind(Exec(), array);
        const std::string error = error_of([&] {
            const CollectiveCall whole(comm, "whole");
            if (comm.rank() == 0) throw UsageError("of rank 0 alone");
            for (int time = 0; time < 3; ++time) plan.execute(Exec(), array);
        });
        EXPECT_NE(error, "") << to_string(transport);
        world.free();
    }
}

// A rank leaves its loop by an exception, during a step or between two; all ranks end the loop by agree(). The others
// reach it by errors, or after their last step. Then all get the error of the lowest rank, and are in step.
TEST(CollectiveCall, EndsALoopThatARankHasLeft) {
    const Communicator all(MPI_COMM_WORLD);
    if (all.size() == 1 || !compares_calls_in_memory(all)) return;
    for (const Transport transport : {Transport::direct, Transport::message}) {
        if (!is_possible(all, transport)) continue;
        const TransportSetting setting(transport);
        for (const int odd : {0, all.size() - 1})
            for (const bool between_calls : {false, true}) {
                SCOPED_TRACE(text(to_string(transport), ", rank ", odd,
                                  between_calls ? ", between calls" : ", by a call"));
                OwnedComm world = duplicate_world();
                const Communicator comm(world.get());
                const auto array = make_dist_view<double**>(Exec(), "array", comm, ring(comm));
                PaddingExchangePlan plan(comm, ring(comm));
                PaddingExchangePlan last(comm, ring(comm));
                plan.bind(Exec(), array);
                last.bind(Exec(), array);
                std::exception_ptr failure;
                try {
                    for (int step = 0; step < 12; ++step) {
                        if (step == 5 && comm.rank() == odd) {
                            if (between_calls) throw ShapeError("left the loop");
                            plan.require(Exec(), 7, array); // deeper than its padding
                        }
                        plan.execute(Exec(), array);
                        last.execute(Exec(), array);
                    }
                } catch (...) {
                    failure = std::current_exception();
                }
                EXPECT_TRUE(failure != nullptr || comm.rank() != odd);
                EXPECT_ANY_THROW(agree(comm, "the loop", failure));
                EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
            }
    }
}

// Ranks may finish their exchanges in flight in any order, and meet in between.
TEST(CollectiveCall, MeetsWhileHandlesAreInFlightAndFinishesInDifferentOrders) {
    const Communicator comm(MPI_COMM_WORLD);
    PaddingExchangePlan first(comm, ring(comm));
    PaddingExchangePlan second(comm, ring(comm));
    const auto a = make_dist_view<double**>(Exec(), "a", comm, ring(comm));
    const auto b = make_dist_view<double**>(Exec(), "b", comm, ring(comm));
    for (int step = 0; step < 200; ++step) {
        number(a, step);
        number(b, step + 1);
        auto of_a = first.start(Exec(), a);
        if (step % 7 == 0) all_gather(comm, step);
        auto of_b = second.start(Exec(), b);
        if (step % 5 == 0) all_gather(comm, step);
        if ((step + comm.rank()) % 2 == 0) {
            of_a.finish_filling();
            of_b.finish_filling();
        } else {
            of_b.finish_filling();
            of_a.finish_filling();
        }
        first.wait_for_readers();
        second.wait_for_readers();
        EXPECT_EQ(find_wrong_number(a, step) + find_wrong_number(b, step + 1), "");
    }
}

// An execution that fails on one rank does not end the enclosing call, in which all ranks learn of it.
TEST(CollectiveCall, GoesOnAfterAnExecutionInIt) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(24, {.padding = 1, .periodic = true})});
    const auto a = make_dist_view<double*>(Exec(), "a", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    plan.bind(Exec(), a);
    auto handle = plan.start(Exec(), a);
    const auto start_again = [&] {
        if (comm.rank() != 0) return;
        const auto another = plan.start(Exec(), a);
    };
    EXPECT_THROW_ON_ALL_RANKS(agree_on(comm, "step", start_again), UsageError, "is in flight");
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
    handle.finish();
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

// Within one call of the program, one rank makes a call in which all ranks meet, and the others an execution.
TEST(CollectiveCall, TellsThatAnExecutionMeetsAMeetingInIt) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1 || !compares_calls_in_memory(comm)) return;
    for (const Transport transport : {Transport::direct, Transport::message}) {
        if (!is_possible(comm, transport)) continue;
        const TransportSetting setting(transport);
        const ArrayLayout layout(ProcessGrid{comm.size()},
                                 {block(24, {.padding = 1, .periodic = true})});
        const auto a = make_dist_view<double*>(Exec(), "a", comm, layout);
        for (const bool executes_before : {false, true}) {
            PaddingExchangePlan plan(comm, layout);
            plan.execute(Exec(), a);
            const auto step = [&] {
                const CollectiveCall whole(comm, "step");
                if (executes_before) plan.execute(Exec(), a);
                if (comm.rank() == 0)
                    barrier(comm);
                else
                    plan.execute(Exec(), a);
            };
            bool has_failed = false; // ranks that do not wait for rank 0 need not
            try {
                step();
            } catch (const UsageError&) {
                has_failed = true;
            }
            EXPECT_TRUE(has_failed || comm.rank() > 1) << to_string(transport);
            EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
        }
    }
}

// Differing arguments that MPI does not check, or checks too late.
TEST(CollectiveCall, TellsWhichArgumentsDiffer) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const bool is_odd = comm.rank() == 1;
    std::vector<int> values(is_odd ? 2 : 3);
    EXPECT_THROW_ON_ALL_RANKS(all_reduce(comm, ReduceOperation::max, std::span(values)), UsageError,
                              "number of values is 2 on rank 1, 3 on rank 0");
    std::vector<std::byte> bytes(100);
    EXPECT_THROW_ON_ALL_RANKS(broadcast(comm, is_odd ? 1 : 0, std::span(bytes)), UsageError,
                              "root is 1 on rank 1, 0 on rank 0");
    EXPECT_THROW_ON_ALL_RANKS(broadcast(comm, is_odd ? -1 : 0, std::span(bytes)), UsageError,
                              "expected a root");
    const auto of_type = [&] {
        if (is_odd)
            all_reduce(comm, ReduceOperation::max, 1.0f);
        else
            all_reduce(comm, ReduceOperation::max, std::int32_t{1});
    };
    EXPECT_THROW_ON_ALL_RANKS(of_type(), UsageError, "floating-point");
    EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size());
}

// Calls on other communicators, in between, do not change which calls meet.
TEST(CollectiveCall, CountsEveryCommunicatorByItself) {
    const OwnedComm reversed = reversed_world();
    const Communicator world(MPI_COMM_WORLD);
    const Communicator other(reversed.get());
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, 0, &half);
    {
        Communicator part(half);
        for (int time = 0; time < 200; ++time) {
            EXPECT_EQ(all_reduce(world, ReduceOperation::sum, 1), world.size());
            for (int more = 0; more < world.rank() % 2; ++more) all_gather(part, 1);
            EXPECT_EQ(all_reduce(other, ReduceOperation::max, other.rank()), world.size() - 1);
        }
        part.close();
    }
    MPI_Comm_free(&half);
}

/// The last rank's place as reported to the others: it makes the calls in `before`, but skips the
/// barrier.
template <class Before>
std::string site_of_missing_rank(const Before& before) {
    const OwnedComm duplicate = duplicate_world();
    Communicator comm(duplicate.get());
    [[maybe_unused]] const auto kept = before(comm);
    // Ranks that are slow up to this point must not count as missing.
    MPI_Barrier(MPI_COMM_WORLD);
    comm.set_deadline(std::chrono::milliseconds(300));
    std::string what;
    try {
        if (comm.rank() < comm.size() - 1) barrier(comm);
    } catch (const DeadlineError& error) {
        what = error.what();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string_view head = " of this rank)", tail = ". This communicator cannot be used";
    // The text may name slow ranks before it.
    const std::size_t begin = what.rfind(head) + head.size();
    return what.empty() ? what : what.substr(begin, what.find(tail) - begin);
}

std::string next_line(const std::source_location& here = std::source_location::current()) {
    return "test_collective_call.cpp:" + std::to_string(here.line() + 1);
}

TEST(CallSite, IsToldOfARankThatDoesNotCome) {
    const bool is_told = world_rank() < world_size() - 1;
    const auto expect_site = [&](const std::string& expected, const auto& before) {
        EXPECT_EQ(site_of_missing_rank(before), is_told ? expected : "");
    };
    std::string site;
    expect_site(", made at heat.f90:17", [](const auto& comm) {
        const CallSite outer(comm, "heat.f90:17");
        const CallSite inner(comm);
        barrier(comm);
        return 0;
    });
    expect_site("", [](const auto& comm) {
        barrier(comm);
        const CallSite of_no_call(comm);
        return 0;
    });
    const auto in_this_file = [&](const auto& comm) {
        site = ", made at " + next_line();
        const CallSite here(comm);
        barrier(comm);
        return 0;
    };
    const std::string by_site = site_of_missing_rank(in_this_file);
    EXPECT_EQ(by_site, is_told ? site : "");
    const ArrayLayout layout(ProcessGrid{world_size()}, {block(24, {.padding = 1})});
    const auto exchange = [&](const auto& comm, PaddingExchangePlan& plan) {
        plan.execute(Exec(), make_dist_view<double*, Kokkos::HostSpace>(Exec(), "u", comm, layout));
    };
    const auto by_plan = [&](const auto& comm) {
        site = ", of the plan made at " + next_line();
        PaddingExchangePlan plan(comm, layout);
        exchange(comm, plan);
        return plan;
    };
    const std::string of_plan = site_of_missing_rank(by_plan);
    EXPECT_EQ(of_plan, is_told ? site : "");
    // make_unique calls the constructor in a header of the standard library, so the plan records no place.
    expect_site("", [&](const auto& comm) {
        auto plan = std::make_unique<PaddingExchangePlan>(comm, layout);
        exchange(comm, *plan);
        return plan;
    });
}

} // namespace

} // namespace distview::testing
