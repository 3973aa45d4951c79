// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace distview {

/// Starts MPI and Kokkos for a program and stops them in reverse order.
///
///     int main(int argc, char** argv) {
///         distview::Runtime runtime(argc, argv);
///         distview::Communicator comm(...);
///
/// For programs; the library itself never initialises anything, and a program may do without. What
/// is initialised already is left alone, also at the end. Kokkos takes its own arguments out of
/// argv and chooses this rank's device. Exceptions are to be caught while it lives, since its destructor
/// waits for all ranks: docs/design/errors.md, "In programs".
///
/// Collective: over all processes of the program
/// Errors:     UsageError if MPI was finalised before; Error, on this rank alone, if Kokkos does not
///             start (for want of a device, say): MPI then runs on, so that MPI_Abort can end the
///             others; a warning to the message sink if MPI offers a lower thread level than asked for
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

/// Function that waiting calls run now and then; it may throw, which ends the wait.
using InterruptCheck = void (*)();

/// Sets the function that calls of this process run while they wait for other ranks; null (the default)
/// for none.
///
/// A binding uses it to end a call when the user presses Ctrl-C: Python's module looks for pending signals.
/// The function runs on the waiting thread, about every 20 ms, and only in calls that have waited for some
/// time. What it throws leaves the waiting call as it is; the exchange under way is abandoned, as if its
/// handle had been destroyed. Collective calls that it makes on the communicator of that call are a UsageError.
///
/// Collective: no (local); for all threads and communicators of the process
void set_interrupt_check(InterruptCheck check) noexcept;

} // namespace distview
