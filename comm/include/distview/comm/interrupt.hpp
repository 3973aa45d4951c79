// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace distview {

/// Function that waiting calls run now and then; it may throw, which ends the wait.
using InterruptCheck = void (*)();

/// Sets the function that calls of this process run while they wait for other ranks; null (the default)
/// for none.
///
/// A binding uses it to end a call when the user presses Ctrl-C: Python's module looks for pending signals.
/// The function runs on the waiting thread, about every 20 ms, and only in calls that have waited for some
/// time. What it throws leaves the waiting call as it is; the exchange under way is abandoned, as if its
/// handle had been destroyed.
///
/// Collective: no (local); for all threads and communicators of the process
void set_interrupt_check(InterruptCheck check) noexcept;

namespace impl {

/// Runs the function of set_interrupt_check(), at most every 20 ms on each thread.
///
/// For the slow branch of waiting loops, where a thread yields or sleeps: without a function it costs one
/// load, else a look at the clock. Not noexcept: callers must leave a state that others can live with.
void check_interrupt();

} // namespace impl

} // namespace distview
