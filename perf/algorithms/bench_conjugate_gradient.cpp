// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients on a seven-point Laplacian against the same iteration written by hand: three loops over plain
// memory, border planes sent without packing, one MPI_Allreduce for each scalar product. If CMake found PETSc, its
// conjugate gradients with an assembled matrix are a third contender.

#include "baselines/petsc_gradient.hpp"
#include "perf.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/fill.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

constexpr int iterations = 20;

KOKKOS_FUNCTION double right_side(std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>((i * 31 + j * 17 + k * 7) % 23) / 7 - 1;
}

/// The baseline by hand: n x n x n cells with one more on every side.
class ByHand {
public:
    ByHand(std::int64_t n, int rank, int ranks) : m_n(n), m_rank(rank), m_ranks(ranks) {
        const auto size = static_cast<std::size_t>((n + 2) * (n + 2) * (n + 2));
        for (std::vector<double>* vector : {&m_b, &m_x, &m_p, &m_q, &m_r}) vector->assign(size, 0);
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t k = 0; k < n; ++k)
                    m_b[static_cast<std::size_t>(row(i, j) + k)] = right_side(i + rank * n, j, k);
    }

    /// The norms of the residuals.
    const std::vector<double>& history() const { return m_history; }

    void solve() {
        std::fill(m_x.begin(), m_x.end(), 0.0);
        m_p = m_r = m_b;
        double rr = total(product(m_r.data(), m_r.data()));
        m_history.assign(1, std::sqrt(rr));
        for (int iteration = 0; iteration < iterations; ++iteration) {
            exchange();
            const double alpha = rr / total(apply());
            const double before = rr;
            rr = total(update(alpha));
            direct(alpha, rr / before);
            m_history.push_back(std::sqrt(rr));
        }
    }

private:
    std::int64_t row(std::int64_t i, std::int64_t j) const {
        return ((i + 1) * (m_n + 2) + j + 1) * (m_n + 2) + 1;
    }
    template <class Row>
    void for_each_row(const Row& visit) const {
        for (std::int64_t i = 0; i < m_n; ++i)
            for (std::int64_t j = 0; j < m_n; ++j) visit(row(i, j));
    }
    static double total(double mine) {
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }

    void exchange() {
        const std::int64_t plane = (m_n + 2) * (m_n + 2);
        const int below = m_rank > 0 ? m_rank - 1 : MPI_PROC_NULL;
        const int above = m_rank + 1 < m_ranks ? m_rank + 1 : MPI_PROC_NULL;
        const int count = static_cast<int>(plane);
        double* const p = m_p.data();
        std::array<MPI_Request, 4> requests{};
        MPI_Irecv(p, count, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(p + (m_n + 1) * plane, count, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(p + plane, count, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(p + m_n * plane, count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }

    double product(const double* a, const double* b) const {
        double sum = 0;
        for_each_row([&](std::int64_t at) {
#pragma omp simd reduction(+ : sum)
            for (std::int64_t k = at; k < at + m_n; ++k) sum += a[k] * b[k];
        });
        return sum;
    }
    /// q = A p; returns p * q.
    double apply() {
        const double* const p = m_p.data();
        double* const q = m_q.data();
        const std::int64_t y = m_n + 2;
        const std::int64_t x = y * y;
        double sum = 0;
        for_each_row([&](std::int64_t at) {
#pragma omp simd reduction(+ : sum)
            for (std::int64_t k = at; k < at + m_n; ++k) {
                const double value =
                    6 * p[k] - p[k - x] - p[k + x] - p[k - y] - p[k + y] - p[k - 1] - p[k + 1];
                q[k] = value;
                sum += p[k] * value;
            }
        });
        return sum;
    }
    /// r = r - alpha q; returns r * r.
    double update(double alpha) {
        const double* const q = m_q.data();
        double* const r = m_r.data();
        double sum = 0;
        for_each_row([&](std::int64_t at) {
#pragma omp simd reduction(+ : sum)
            for (std::int64_t k = at; k < at + m_n; ++k) {
                r[k] -= alpha * q[k];
                sum += r[k] * r[k];
            }
        });
        return sum;
    }
    /// x = x + alpha p, p = r + beta p
    void direct(double alpha, double beta) {
        const double* const r = m_r.data();
        double* const x = m_x.data();
        double* const p = m_p.data();
        for_each_row([&](std::int64_t at) {
#pragma omp simd
            for (std::int64_t k = at; k < at + m_n; ++k) {
                x[k] += alpha * p[k];
                p[k] = r[k] + beta * p[k];
            }
        });
    }

    std::int64_t m_n;
    int m_rank;
    int m_ranks;
    std::vector<double> m_b, m_x, m_p, m_q, m_r, m_history;
};

template <class View>
struct Laplacian {
    KOKKOS_FORCEINLINE_FUNCTION double operator()(const View& u, std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
        return 6 * u(i, j, k) - u(i - 1, j, k) - u(i + 1, j, k) - u(i, j - 1, k) - u(i, j + 1, k) -
               u(i, j, k - 1) - u(i, j, k + 1);
    }
};
struct RightSide {
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        return right_side(i.value(), j.value(), k.value());
    }
};

bool agrees(const std::vector<double>& found, const std::vector<double>& expected) {
    bool close = found.size() == expected.size();
    for (std::size_t i = 0; close && i < found.size(); ++i)
        close = std::abs(found[i] - expected[i]) <= 1e-9 * expected[0];
    return close;
}

void seven_points(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const std::int64_t n = perf::smoke() ? 8 : state.range(0);
    const BlockOptions options{.padding = 1, .boundary = 1};
    const ArrayLayout layout(
        ProcessGrid{comm.size(), 1, 1},
        {block(n * comm.size(), options), block(n, options), block(n, options)});
    const auto b = make_dist_view<double***>(exec, "b", comm, layout);
    const auto x = make_dist_view<double***>(exec, "x", comm, layout);
    fill_with(exec, b, RightSide());
    PaddingExchangePlan plan(comm, layout, {.stencil = Stencil::faces});
    using Vector = std::remove_const_t<decltype(x)>;
    const StencilOperator laplacian{plan, Laplacian<Vector::view_type>()};
    ConjugateGradientOptions limits{.tolerance = 0, .max_iterations = iterations};
    ConjugateGradient<Vector> plain(exec, comm, layout, limits);
    limits.reproducible = true;
    ConjugateGradient<Vector> reproducible(exec, comm, layout, limits);
    ByHand by_hand(n, comm.rank(), comm.size());

    const auto clear = [&] { fill(exec, x, 0); };
    by_hand.solve();
    clear();
    const auto history = plain.solve(exec, laplacian, b, x).history;
    if (!perf::verify(state, agrees(history, by_hand.history()), "the residuals")) return;
    clear();
    const auto same = reproducible.solve(exec, laplacian, b, x).history;
    if (!perf::verify(state, agrees(same, by_hand.history()), "the reproducible residuals")) return;
    std::vector<perf::Contender> contenders{
        {"by_hand", [&] { by_hand.solve(); }},
        {"distview", [&] { plain.solve(exec, laplacian, b, x); }, clear},
        {"reproducible", [&] { reproducible.solve(exec, laplacian, b, x); }, clear}};
#ifdef DISTVIEW_PERF_HAVE_PETSC
    const perf::Petsc petsc(MPI_COMM_WORLD);
    perf::PetscGradient assembled(petsc, n, comm.rank(), comm.size(), iterations, right_side);
    assembled.solve();
    const bool same_norms = agrees(assembled.history(), by_hand.history());
    if (!perf::verify(state, same_norms, "the residuals of PETSc") ||
        !perf::verify(state, assembled.has_found(x.view()), "the solution of PETSc"))
        return;
    contenders.push_back({"petsc", [&] { assembled.solve(); }});
#endif
    const auto medians = perf::contest(state, exec, contenders);
    state.counters["iteration_us"] = 1e6 * medians[1] / iterations;
    if (medians.size() > 3) state.counters["petsc_over_distview"] = medians[3] / medians[1];
}
BENCHMARK(seven_points)
    ->ArgName("n")
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Arg(200)
    ->Iterations(30)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
