// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "petsc_runtime.hpp"

#ifdef DISTVIEW_PERF_HAVE_PETSC

#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace distview::perf {

/// PETSc's conjugate gradients without a preconditioner and with an assembled matrix (AIJ): the seven-point
/// Laplacian of n x n x n cells a rank; ranks split the slowest axis, and x is zero beyond the walls.
///
/// The norm of the residual is derived from a scalar product that the iteration needs anyway (KSP_NORM_NATURAL):
/// two reductions an iteration instead of the three of PETSc's default. Runs all iterations, whatever the residual.
class PetscGradient {
public:
    /// right_side(i, j, k) of global indices
    template <class RightSide>
    PetscGradient(const Petsc& petsc, std::int64_t n, int rank, int ranks, int iterations,
                  const RightSide& right_side)
        : m_comm(petsc.comm()), m_n(n), m_norms(static_cast<std::size_t>(iterations) + 1) {
        static_assert(std::is_same_v<PetscScalar, double>, "PETSc of real double is needed");
        assemble(rank * n, ranks * n);
        PetscCallAbort(m_comm, MatCreateVecs(m_matrix, &m_x, &m_b));
        PetscScalar* b = nullptr;
        PetscCallAbort(m_comm, VecGetArray(m_b, &b));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t k = 0; k < n; ++k) *b++ = right_side(rank * n + i, j, k);
        b -= n * n * n;
        PetscCallAbort(m_comm, VecRestoreArray(m_b, &b));
        set_up(iterations);
    }
    ~PetscGradient() {
        PetscCallAbort(m_comm, KSPDestroy(&m_solver));
        PetscCallAbort(m_comm, VecDestroy(&m_b));
        PetscCallAbort(m_comm, VecDestroy(&m_x));
        PetscCallAbort(m_comm, MatDestroy(&m_matrix));
    }
    PetscGradient(const PetscGradient&) = delete;
    PetscGradient& operator=(const PetscGradient&) = delete;

    /// Starts from x = 0.
    void solve() { PetscCallAbort(m_comm, KSPSolve(m_solver, m_b, m_x)); }

    /// The norms of the residuals, as many as PETSc recorded.
    std::vector<double> history() const {
        const PetscReal* norms = nullptr;
        PetscInt count = 0;
        PetscCallAbort(m_comm, KSPGetResidualHistory(m_solver, &norms, &count));
        return {norms, norms + count};
    }
    /// Whether x equals the interior of `section` (one more cell on every side) up to rounding.
    template <class Section>
    bool has_found(const Section& section) const {
        const PetscScalar* x = nullptr;
        PetscCallAbort(m_comm, VecGetArrayRead(m_x, &x));
        double difference = 0;
        double largest = 0;
        for (std::int64_t i = 0; i < m_n; ++i)
            for (std::int64_t j = 0; j < m_n; ++j)
                for (std::int64_t k = 0; k < m_n; ++k) {
                    const double expected = section(i + 1, j + 1, k + 1);
                    const double found = x[(i * m_n + j) * m_n + k];
                    difference = std::max(difference, std::abs(found - expected));
                    largest = std::max(largest, std::abs(expected));
                }
        PetscCallAbort(m_comm, VecRestoreArrayRead(m_x, &x));
        return difference <= 1e-9 * largest;
    }

private:
    /// Assembles the rows of planes [first, first + n) of `planes`.
    void assemble(std::int64_t first, std::int64_t planes) {
        const auto rows = static_cast<PetscInt>(m_n * m_n * m_n);
        PetscCallAbort(m_comm, MatCreateAIJ(m_comm, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 7,
                                            nullptr, 2, nullptr, &m_matrix));
        for (std::int64_t i = first; i < first + m_n; ++i)
            for (std::int64_t j = 0; j < m_n; ++j)
                for (std::int64_t k = 0; k < m_n; ++k) set_row(i, j, k, planes);
        PetscCallAbort(m_comm, MatAssemblyBegin(m_matrix, MAT_FINAL_ASSEMBLY));
        PetscCallAbort(m_comm, MatAssemblyEnd(m_matrix, MAT_FINAL_ASSEMBLY));
    }
    void set_row(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t planes) {
        PetscInt columns[7];
        PetscScalar entries[7];
        PetscInt count = 0;
        const auto row = static_cast<PetscInt>((i * m_n + j) * m_n + k);
        const auto add = [&](bool is_there, std::int64_t distance, double entry) {
            if (!is_there) return;
            columns[count] = row + static_cast<PetscInt>(distance);
            entries[count++] = entry;
        };
        add(i > 0, -m_n * m_n, -1);
        add(j > 0, -m_n, -1);
        add(k > 0, -1, -1);
        add(true, 0, 6);
        add(k + 1 < m_n, 1, -1);
        add(j + 1 < m_n, m_n, -1);
        add(i + 1 < planes, m_n * m_n, -1);
        PetscCallAbort(m_comm,
                       MatSetValues(m_matrix, 1, &row, count, columns, entries, INSERT_VALUES));
    }

    void set_up(int iterations) {
        PC preconditioner = nullptr;
        PetscCallAbort(m_comm, KSPCreate(m_comm, &m_solver));
        PetscCallAbort(m_comm, KSPSetOperators(m_solver, m_matrix, m_matrix));
        PetscCallAbort(m_comm, KSPSetType(m_solver, KSPCG));
        PetscCallAbort(m_comm, KSPGetPC(m_solver, &preconditioner));
        PetscCallAbort(m_comm, PCSetType(preconditioner, PCNONE));
        PetscCallAbort(m_comm, KSPSetNormType(m_solver, KSP_NORM_NATURAL));
        PetscCallAbort(m_comm,
                       KSPSetConvergenceTest(m_solver, KSPConvergedSkip, nullptr, nullptr));
        PetscCallAbort(m_comm, KSPSetTolerances(m_solver, PETSC_DEFAULT, PETSC_DEFAULT,
                                                PETSC_DEFAULT, iterations));
        PetscCallAbort(m_comm, KSPSetResidualHistory(m_solver, m_norms.data(), iterations + 1,
                                                     PETSC_TRUE));
        PetscCallAbort(m_comm, KSPSetUp(m_solver));
    }

    MPI_Comm m_comm;
    std::int64_t m_n;
    std::vector<PetscReal> m_norms;
    Mat m_matrix = nullptr;
    Vec m_x = nullptr;
    Vec m_b = nullptr;
    KSP m_solver = nullptr;
};

} // namespace distview::perf

#endif
