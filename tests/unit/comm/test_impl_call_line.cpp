// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/call_line.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <string>

namespace distview::testing {

namespace {

using distview::impl::CallWord;
using Kind = CallWord::Kind;

struct OfPlan {
    Kind kind;
    const char* text; ///< in messages, for plan 3 and set 2
    bool is_execution;
};

constexpr OfPlan calls_of_plans[] = {
    {Kind::fill, "PaddingExchangePlan #3 execute, set 2", true},
    {Kind::combine, "PaddingExchangePlan #3 combine, set 2", true},
    {Kind::bind, "PaddingExchangePlan #3 bind, set 2", false},
    {Kind::skip_fill, "PaddingExchangePlan #3 require, nothing to fill", true},
    {Kind::redistribute, "RedistributionPlan #3 execute, set 2", true},
    {Kind::redistribute_combine, "RedistributionPlan #3 combine, set 2", true},
    {Kind::bind_redistribution, "RedistributionPlan #3 bind, set 2", false},
    {Kind::gather, "GatherPlan #3 execute, set 2", true},
    {Kind::gather_combine, "GatherPlan #3 combine, set 2", true},
    {Kind::bind_gather, "GatherPlan #3 bind, set 2", false},
    {Kind::fill_ghosts, "GhostExchangePlan #3 execute, set 2", true},
    {Kind::combine_ghosts, "GhostExchangePlan #3 combine, set 2", true},
    {Kind::bind_ghosts, "GhostExchangePlan #3 bind, set 2", false},
    {Kind::migrate, "MigrationPlan #3 execute, set 2", true},
};

TEST(CallWord, TellsTheCallsOfPlans) {
    for (const OfPlan& call : calls_of_plans) {
        const CallWord word = CallWord::of_plan(call.kind, 3, 2);
        EXPECT_EQ(word.describe(""), call.text);
        EXPECT_EQ(word.is_execution(), call.is_execution) << call.text;
        EXPECT_EQ(word.kind(), call.kind) << call.text;
        EXPECT_EQ(word.plan(), 3u) << call.text;
    }
    EXPECT_EQ(CallWord::of_plan(Kind::gather, 3, CallWord::new_set).describe(""),
              "GatherPlan #3 execute, new arrays");
    EXPECT_EQ(CallWord::of_plan(Kind::combine, 3, 2, 1).describe(""),
              "PaddingExchangePlan #3 combine(Sum), set 2");
    EXPECT_EQ(CallWord::of_plan(Kind::gather_combine, 3, 2, 6).describe(""),
              "GatherPlan #3 combine(a function object of the program), set 2");
    EXPECT_EQ(CallWord::of_plan(Kind::redistribute, 3, 2, 65535).describe(""),
              "RedistributionPlan #3 execute with factors of hash 65535, set 2");
}

TEST(CallWord, TellsCallsOfANameAndNone) {
    const CallWord word = CallWord::of_name("energy");
    EXPECT_EQ(word.describe("energy"), "energy");
    EXPECT_FALSE(word.is_execution());
    EXPECT_EQ(word.plan(), 0u);
    EXPECT_EQ(CallWord{}.describe(""), "no call");
    EXPECT_FALSE(CallWord{}.is_execution());
}

TEST(CallWord, TellsOfWordsThatItDoesNotKnow) {
    for (const int kind : {2, 3, 24, 255})
        EXPECT_EQ(CallWord::of_plan(static_cast<Kind>(kind), 3, 2).describe(""),
                  "another version's call");
}

// A rank that cannot leave its call stores its interruption. While it waits for others, MPI must still progress.
TEST(Calls, LetMpiWorkBeforeTheyInterrupt) {
    const impl::CallLines mine = impl::own_call_line(0);
    impl::Calls calls(0, mine.ranks, mine.memory, false);
    int looks = 0;
    calls.set_checks([&] { ++looks; }, [] {});
    for (int time = 1; time <= 3; ++time) {
        calls.keep_interruption(std::make_exception_ptr(UsageError("interrupted")));
        EXPECT_THROW(calls.idle(), UsageError);
        EXPECT_EQ(looks, time);
    }
    EXPECT_NO_THROW(calls.idle());
    // The first stored reason is thrown first.
    calls.set_checks([] { throw MpiError("ended", 1); }, [] {});
    calls.keep_interruption(std::make_exception_ptr(UsageError("interrupted")));
    EXPECT_THROW(calls.idle(), UsageError);
    EXPECT_FALSE(calls.is_interrupted());
    EXPECT_THROW(calls.idle(), MpiError);
}

// A signal handler may run while this rank waits in a call, or between calls for an execution.
TEST(Calls, RefuseThoseOfASignalHandler) {
    const impl::CallLines mine = impl::own_call_line(0);
    impl::Calls calls(0, mine.ranks, mine.memory, false);
    const auto expect_refused = [&](const auto& call, const std::string& name) {
        const std::uint64_t begun = calls.begun();
        const std::uint64_t failures = calls.failures();
        try {
            calls.ask([&] { calls.ask([] {}), call(); });
            ADD_FAILURE() << name;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), name +
                                        ": called by a signal handler while this rank waits in "
                                        "sum; let it set a flag, and call when the wait is over");
        }
        EXPECT_EQ(calls.begun(), begun) << name;
        EXPECT_EQ(calls.failures(), failures) << name;
    };
    const CallWord execution = CallWord::of_plan(Kind::fill, 3, 2);
    const auto expect_all_refused = [&] {
        expect_refused([&] { calls.enter("max"); }, "max");
        expect_refused([&] { calls.enter(execution); }, execution.describe(""));
        expect_refused([&] { counted(calls, "max", [&] { calls.enter("max"); }); }, "max");
    };
    calls.enter("sum");
    expect_all_refused();
    calls.leave({}, false);
    EXPECT_FALSE(calls.is_under_way());
    expect_all_refused();
    EXPECT_FALSE(calls.is_under_way());
    calls.enter(execution); // a call outside of other calls
    EXPECT_EQ(calls.current().whole, execution);
    calls.leave(execution, false);
    EXPECT_FALSE(calls.is_under_way());
    calls.ask([&] { calls.close(); });   // MPI_Comm_free in a handler does this
    EXPECT_NO_THROW(calls.enter("max")); // the communicator reports that it is closed
}

TEST(SharedText, EndsBetweenCharacters) {
    impl::SharedText name;
    name.set("a" + std::string(46, '-') + "b");
    EXPECT_EQ(name.get(), "a" + std::string(46, '-'));
    name.set(std::string(46, '-') + "\u00e9"); // bytes 46 and 47
    EXPECT_EQ(name.get(), std::string(46, '-'));
    name.set(std::string(45, '-') + "\u00e9");
    EXPECT_EQ(name.get(), std::string(45, '-') + "\u00e9");
}

} // namespace

} // namespace distview::testing
