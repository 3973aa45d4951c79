// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <cstdint>
#include <string>

namespace shallow_water {

/// STREAM's triad, a[i] = b[i] + s * c[i] in float64, on the ranks and threads of this run: what the
/// memory gives a program that does nothing else.
///
/// Collective: construction and run(), over comm
/// Cost:       three arrays that together with those of the other ranks have 512 MiB each, or four
///             times the last-level cache if that is more
class Triad {
public:
    Triad(const Exec& exec, const distview::Communicator& comm);

    /// Runs `repetitions` times between barriers and keeps the best; 24 bytes an element.
    ///
    /// Errors: distview::Error on all ranks if a result is wrong
    void run(int repetitions);
    /// One repetition without barriers; work may still run on return.
    void run_once();
    double best_gigabytes_per_second() const noexcept { return m_best; }
    std::int64_t array_bytes() const noexcept { return m_elements * 8 * m_comm.size(); }

private:
    Exec m_exec;
    distview::Communicator m_comm;
    std::int64_t m_elements = 0; ///< of this rank
    Kokkos::View<double*, Kokkos::HostSpace> m_memory;
    double* m_a = nullptr;
    double* m_b = nullptr;
    double* m_c = nullptr;
    double m_best = 0;
    std::string m_label = "shallow_water::Triad::run";
};

} // namespace shallow_water
