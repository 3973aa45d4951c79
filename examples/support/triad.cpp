// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triad.hpp"

#include "caches.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <string>
#include <utility>

namespace program {

namespace {

constexpr double scalar = 3.0;

struct FirstTouch {
    double *a, *b, *c;

    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
        a[i] = 0;
        b[i] = static_cast<double>(i % 1024);
        c[i] = static_cast<double>(i % 4096);
    }
};

struct Once {
    double* a;
    const double *b, *c;

    KOKKOS_FUNCTION void operator()(std::int64_t i) const { a[i] = b[i] + scalar * c[i]; }
};

/// Number of machines on which the ranks run. Collective.
std::int64_t machines(const distview::Communicator& comm) {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(comm.mpi(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int rank = 0;
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_free(&machine);
    return distview::all_reduce(comm, distview::ReduceOperation::sum,
                                std::int64_t{rank == 0 ? 1 : 0});
}

} // namespace

std::int64_t stream_bytes(const distview::Communicator& comm, std::int64_t least) {
    // Assumed if the machine does not report a cache size: most caches are smaller.
    constexpr std::int64_t unknown = std::int64_t{64} << 20;
    const std::int64_t own = last_level_cache_bytes();
    const std::int64_t cache =
        distview::all_reduce(comm, distview::ReduceOperation::max, own > 0 ? own : unknown);
    return std::max(least, 4 * cache * machines(comm));
}

template <class Space>
Triad<Space>::Triad(const Space& exec, const distview::Communicator& comm, std::int64_t bytes)
    : m_exec(exec), m_comm(comm) {
    m_elements = (bytes / 8 + comm.size() - 1) / comm.size();
    distview::agree_on(comm, "triad", [&] {
        // The arrays are separated by an odd number of cache lines, so that the three streams do not meet in one set.
        constexpr std::int64_t gap = 8 * 131;
        m_memory = Kokkos::View<double*, typename Space::memory_space>(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "program::triad"),
            3 * (m_elements + gap));
        m_a = m_memory.data();
        m_b = m_a + m_elements + gap;
        m_c = m_b + m_elements + gap;
    });
    Kokkos::parallel_for(
        "program::Triad::first_touch",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_elements),
        FirstTouch{m_a, m_b, m_c});
    m_exec.fence("program::Triad: the arrays are set");
}

template <class Space>
void Triad<Space>::run_once() {
    Kokkos::parallel_for(
        m_label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_elements),
        Once{m_a, m_b, m_c});
}

template <class Space>
void Triad<Space>::run(int repetitions) {
    for (int repetition = 0; repetition < repetitions; ++repetition)
        m_best = std::max(m_best, gigabytes_per_second(timed(m_exec, m_comm, [&] { run_once(); })));
    verify();
}

template <class Space>
void Triad<Space>::verify() const {
    distview::agree_on(m_comm, "triad", [&] {
        const auto a = Kokkos::create_mirror_view_and_copy(
            Kokkos::HostSpace(),
            Kokkos::subview(m_memory, std::pair<std::int64_t, std::int64_t>(0, m_elements)));
        for (std::int64_t i = 0; i < m_elements; ++i) {
            const double expected =
                static_cast<double>(i % 1024) + scalar * static_cast<double>(i % 4096);
            distview::require<distview::Error>(a(i) == expected, [&] {
                return distview::text("triad: element ", i, " is ", a(i), ", expected ", expected);
            });
        }
    });
}

template class Triad<Exec>;
#ifdef KOKKOS_ENABLE_CUDA
template class Triad<Kokkos::Cuda>;
#endif

} // namespace program
