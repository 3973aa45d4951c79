// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "timing.hpp"

#include <cstdint>
#include <string>

namespace program {

/// The size that STREAM requires: the larger of `least` and four times the last-level caches of all machines of the
/// run. The largest cache counts for each machine, and 64 MiB if it is unknown.
///
/// Collective: over comm; all ranks get the same value
std::int64_t stream_bytes(const distview::Communicator& comm, std::int64_t least = 0);

/// STREAM's triad, a[i] = b[i] + s * c[i] in float64, on the ranks and threads of this run, or on their
/// devices: the memory bandwidth for a program that does nothing else.
///
/// Collective: construction, run() and verify(), over comm
/// Cost:       three arrays, each of `bytes` over all ranks together
template <class Space = Exec>
class Triad {
public:
    Triad(const Space& exec, const distview::Communicator& comm, std::int64_t bytes);

    /// Runs `repetitions` times between barriers and keeps the best rate; 24 bytes per element.
    ///
    /// Errors: distview::Error on all ranks if a result is wrong
    void run(int repetitions);
    /// One repetition without barriers; work may still run on return.
    void run_once();
    /// Errors: distview::Error on all ranks if a result is wrong
    void verify() const;

    double best_gigabytes_per_second() const noexcept { return m_best; }
    /// Size of each of the three arrays, on all ranks together.
    std::int64_t array_bytes() const noexcept { return m_elements * 8 * m_comm.size(); }
    double gigabytes_per_second(double seconds) const {
        return 3e-9 * static_cast<double>(array_bytes()) / seconds;
    }

private:
    Space m_exec;
    distview::Communicator m_comm;
    std::int64_t m_elements = 0; ///< of this rank
    Kokkos::View<double*, typename Space::memory_space> m_memory;
    double* m_a = nullptr;
    double* m_b = nullptr;
    double* m_c = nullptr;
    double m_best = 0;
    std::string m_label = "program::Triad::run";
};

} // namespace program
