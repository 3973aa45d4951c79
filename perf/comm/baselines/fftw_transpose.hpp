// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef DISTVIEW_PERF_HAVE_FFTW

#include <fftw3-mpi.h>

#include <cstddef>
#include <cstdint>

namespace distview::perf {

/// FFTW's transposition, out of place, of a matrix dealt out in blocks of rows. Uses the plan that was the
/// fastest when FFTW measured its plans.
///
/// Shapes: rows and columns are multiples of the number of ranks, so that FFTW's blocks equal DistView's
class FftwTranspose {
public:
    /// Planning overwrites both arrays.
    FftwTranspose(MPI_Comm comm, std::int64_t rows, std::int64_t columns, double* from, double* to)
        : m_started(start()), m_plan(fftw_mpi_plan_transpose(static_cast<std::ptrdiff_t>(rows),
                                                             static_cast<std::ptrdiff_t>(columns),
                                                             from, to, comm, FFTW_MEASURE)) {}
    ~FftwTranspose() { fftw_destroy_plan(m_plan); }
    FftwTranspose(const FftwTranspose&) = delete;
    FftwTranspose& operator=(const FftwTranspose&) = delete;

    void execute() const { fftw_execute(m_plan); }

private:
    /// FFTW is never finalised: later plans reuse the measurements of earlier ones.
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
