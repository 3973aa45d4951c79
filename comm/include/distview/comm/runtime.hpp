// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace distview {

/// Initialises MPI and Kokkos for a program and finalises them in reverse order.
///
///     int main(int argc, char** argv) {
///         distview::Runtime runtime(argc, argv);
///         distview::Communicator comm(...);
///
/// A Runtime is optional: the library never initialises MPI or Kokkos by itself. A Runtime does not finalise what
/// the program had initialised before. Kokkos removes its own arguments from argv and chooses this rank's device.
/// Catch exceptions while the Runtime exists, because its destructor waits for all ranks: docs/design/errors.md,
/// "In programs".
///
/// Collective: over all processes of the program
/// Errors:     UsageError if MPI was finalised before; Error, on this rank alone, if Kokkos does not
///             start (without a device, say): MPI stays initialised, so that MPI_Abort can end the other
///             ranks; a warning to the message sink if MPI provides a lower thread level than requested
class Runtime {
public:
    Runtime(int& argc, char**& argv, int thread_level = MPI_THREAD_FUNNELED);
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    /// The thread level that MPI provides.
    int thread_level() const noexcept { return m_thread_level; }

private:
    int m_thread_level = MPI_THREAD_SINGLE;
    bool m_owns_mpi = false;
    bool m_owns_kokkos = false;
};

/// Function that waiting calls run about every 20 ms; an exception that it throws ends the wait.
using InterruptCheck = void (*)();

/// Sets the function that calls of this process run while they wait for other ranks; null (the default)
/// for none.
///
/// A language binding uses it to end a call when the user presses Ctrl-C: Python's module checks for pending signals.
/// The function runs on the waiting thread, about every 20 ms, and only in calls that have waited for some
/// time. Its exceptions pass through the waiting call unchanged; the exchange in flight is abandoned, as if its
/// handle had been destroyed. A collective call by the function on the waiting call's communicator is a UsageError.
///
/// Collective: no (local); for all threads and communicators of the process
void set_interrupt_check(InterruptCheck check) noexcept;

} // namespace distview
