// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <functional>

namespace distview::perf {

/// The space of the arrays and kernels of these benchmarks: a device if there is one.
using DeviceExec = Kokkos::DefaultExecutionSpace;

/// The operations of an execution-space instance during some work.
struct Operations {
    int kernels = 0;
    int copies = 0;
    double seconds = 0; ///< sum of their durations, gaps between them excluded
};

/// Runs `work` and reads the device's clock before and after each kernel and each enqueued copy; on a host,
/// the host's clock.
///
/// `before` enqueues work that is not timed and that keeps the device busy until the timed operation has been
/// enqueued as well: else the host's time for the launch would count. On a device it runs before each kernel
/// and copy, since `work` may wait in between.
///
/// Space: both must use this instance only; waits for it
Operations operations_of(const DeviceExec& exec, const std::function<void()>& before,
                         const std::function<void()>& work);

/// Seconds by the same clock from the beginning of the work to its end, gaps included.
double seconds_of(const DeviceExec& exec, const std::function<void()>& work);

} // namespace distview::perf
