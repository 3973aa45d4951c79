// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <functional>

namespace distview::perf {

/// Where the arrays of these benchmarks lie and their kernels run: a device if there is one.
using DeviceExec = Kokkos::DefaultExecutionSpace;

/// What an execution-space instance did for some piece of work.
struct Operations {
    int kernels = 0;
    int copies = 0;
    double seconds = 0; ///< all of their durations together, whatever lies between them
};

/// Runs the work with the device's clock read before and after each kernel, and each copy that is
/// enqueued; on a host, the host's clock.
///
/// `before` enqueues something that is not timed, and keeps the device busy until what is timed has been
/// enqueued as well: else the time that a launch takes the host would count. On a device it goes before each
/// kernel and copy, since the work may wait in between.
///
/// Space: both must use this instance only; waits for it
Operations operations_of(const DeviceExec& exec, const std::function<void()>& before,
                         const std::function<void()>& work);

/// Seconds by the same clock from the beginning of the work to its end, all in between included.
double seconds_of(const DeviceExec& exec, const std::function<void()>& work);

} // namespace distview::perf
