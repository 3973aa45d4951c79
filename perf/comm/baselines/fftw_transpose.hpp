// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef DISTVIEW_PERF_HAVE_FFTW

#include <fftw3-mpi.h>

#include <cstddef>
#include <cstdint>

namespace distview::perf {

/// FFTW's transposition of a matrix whose rows are dealt out in blocks, out of place; of its plans the
/// one that was fastest when it tried them.
///
/// Shapes: rows and columns are multiples of the number of ranks, so that blocks are as ours
class FftwTranspose {
public:
    /// Overwrites both.
    FftwTranspose(MPI_Comm comm, std::int64_t rows, std::int64_t columns, double* from, double* to)
        : m_started(start()), m_plan(fftw_mpi_plan_transpose(static_cast<std::ptrdiff_t>(rows),
                                                             static_cast<std::ptrdiff_t>(columns),
                                                             from, to, comm, FFTW_MEASURE)) {}
    ~FftwTranspose() { fftw_destroy_plan(m_plan); }
    FftwTranspose(const FftwTranspose&) = delete;
    FftwTranspose& operator=(const FftwTranspose&) = delete;

    void execute() const { fftw_execute(m_plan); }

private:
    /// Never ended: later plans keep what earlier ones found out.
    static bool start() {
        static const bool started = [] {
            fftw_mpi_init();
            return true;
        }();
        return started;
    }

    bool m_started;
    fftw_plan m_plan;
};

} // namespace distview::perf

#endif
