// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef DISTVIEW_PERF_HAVE_SCALAPACK

#include <mpi.h>

#include <algorithm>
#include <array>

// ScaLAPACK installs no C headers.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* coordinate, const int* first,
            const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* first_row, const int* first_column, const int* context,
               const int* leading, int* info);
void pdtran_(const int* m, const int* n, const double* alpha, const double* a, const int* ia,
             const int* ja, const int* descriptor_a, const double* beta, double* c, const int* ic,
             const int* jc, const int* descriptor_c);
// Defined if OpenBLAS is the BLAS below ScaLAPACK.
[[gnu::weak]] void openblas_set_num_threads(int threads);
void Cpdgemr2d(int m, int n, const double* a, int ia, int ja, const int* descriptor_a, double* b,
               int ib, int jb, const int* descriptor_b, int context);
}

namespace distview::perf {

/// Block-cyclic matrices in C order, passed to ScaLAPACK, which expects Fortran's order.
///
/// An array of rows x columns in C order, on a grid of p x q processes numbered along its rows, has the memory
/// layout of the transposed matrix in Fortran's order on a grid of q x p processes numbered along its columns.
/// ScaLAPACK gets this second description, so that no element moves.
class Scalapack {
public:
    struct Layout {
        int rows = 0;
        int columns = 0;
        int row_block = 1;
        int column_block = 1;
        int p = 1;
        int q = 1;
    };

    Scalapack(MPI_Comm comm, const Layout& from, const Layout& to, int threads) {
        if (openblas_set_num_threads) openblas_set_num_threads(threads);
        m_handle = Csys2blacs_handle(comm);
        m_from = describe(make_context(from), from);
        // ScaLAPACK requires one context for one grid.
        const bool same = from.p == to.p && from.q == to.q;
        m_to = describe(same ? m_from.context() : make_context(to), to);
    }
    ~Scalapack() {
        if (m_to.context() != m_from.context()) Cblacs_gridexit(m_to.context());
        Cblacs_gridexit(m_from.context());
        Cfree_blacs_system_handle(m_handle);
    }
    Scalapack(const Scalapack&) = delete;
    Scalapack& operator=(const Scalapack&) = delete;

    /// to = to + from^T
    void add_transposed(const double* from, double* to) const {
        constexpr int first = 1;
        constexpr double one = 1;
        const int m = m_to.layout.columns;
        const int n = m_to.layout.rows;
        pdtran_(&m, &n, &one, from, &first, &first, m_from.descriptor.data(), &one, to, &first,
                &first, m_to.descriptor.data());
    }
    /// to = from
    void copy(const double* from, double* to) const {
        Cpdgemr2d(m_from.layout.columns, m_from.layout.rows, from, 1, 1, m_from.descriptor.data(),
                  to, 1, 1, m_to.descriptor.data(), m_from.context());
    }

private:
    struct Described {
        Layout layout;
        std::array<int, 9> descriptor{};

        int context() const { return descriptor[1]; }
    };

    int make_context(const Layout& layout) const {
        int context = m_handle;
        Cblacs_gridinit(&context, "Column", layout.q, layout.p);
        return context;
    }
    static Described describe(int context, const Layout& layout) {
        Described described{layout, {}};
        int rows = 0, columns = 0, row = 0, column = 0;
        Cblacs_gridinfo(context, &rows, &columns, &row, &column);
        constexpr int first = 0;
        const int mine = numroc_(&layout.columns, &layout.column_block, &row, &first, &layout.q);
        const int leading = std::max(1, mine);
        int info = 0;
        descinit_(described.descriptor.data(), &layout.columns, &layout.rows, &layout.column_block,
                  &layout.row_block, &first, &first, &context, &leading, &info);
        return described;
    }

    int m_handle = 0;
    Described m_from;
    Described m_to;
};

} // namespace distview::perf

#endif
