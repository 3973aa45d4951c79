// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that interrupts a wait: which thread runs it, and how often.
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/runtime.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace distview::testing {

namespace {

using Clock = std::chrono::steady_clock;

int calls = 0;
struct Interrupted {};

void count() { ++calls; }
void interrupt() { throw Interrupted(); }

/// Runs `action` on a new thread, which has not read the clock before.
template <class Action>
void on_new_thread(const Action& action) {
    std::thread(action).join();
}

class Interrupt : public ::testing::Test {
protected:
    void SetUp() override { calls = 0; }
    void TearDown() override { set_interrupt_check(nullptr); }
};

TEST_F(Interrupt, WithoutAFunctionNothingHappens) { EXPECT_NO_THROW(impl::check_interrupt()); }

TEST_F(Interrupt, RunsTheFunctionAtMostEvery20Milliseconds) {
    set_interrupt_check(count);
    on_new_thread([] {
        const auto begin = Clock::now();
        for (int i = 0; i < 1000; ++i) impl::check_interrupt();
        const auto intervals = (Clock::now() - begin) / std::chrono::milliseconds(20);
        EXPECT_GE(calls, 1);
        EXPECT_LE(calls, 1 + intervals);
        const int before = calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        impl::check_interrupt();
        EXPECT_EQ(calls, before + 1);
    });
}

TEST_F(Interrupt, WhatTheFunctionThrowsReachesTheWaitingLoop) {
    set_interrupt_check(interrupt);
    on_new_thread([] { EXPECT_THROW(impl::check_interrupt(), Interrupted); });
}

TEST_F(Interrupt, CanBeTakenBack) {
    set_interrupt_check(count);
    set_interrupt_check(nullptr);
    on_new_thread([] { impl::check_interrupt(); });
    EXPECT_EQ(calls, 0);
}

} // namespace

} // namespace distview::testing
