// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/matrix.hpp>

#include "call.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>
#include <distview/interop/solver_memory.hpp>

#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace distview::hypre {

using impl::call;

namespace {

/// Entries of each row: all of them, and those in columns of this process.
struct RowSizes {
    std::vector<HYPRE_Int> all, own, others;
};

RowSizes row_sizes(const MatrixRows& rows, std::int64_t first) {
    RowSizes sizes;
    const auto count = static_cast<std::size_t>(rows.local_rows());
    for (std::size_t r = 0; r < count; ++r) {
        HYPRE_Int own = 0;
        for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
            const std::int64_t column = rows.columns[static_cast<std::size_t>(e)] - first;
            own += column >= 0 && column < rows.local_rows();
        }
        const auto all = static_cast<HYPRE_Int>(rows.offsets[r + 1] - rows.offsets[r]);
        sizes.all.push_back(all);
        sizes.own.push_back(own);
        sizes.others.push_back(all - own);
    }
    return sizes;
}

} // namespace

std::int64_t impl::find_zero_on_diagonal(const MatrixRows& rows) {
    for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
        const std::int64_t row = rows.numbering.row_of_cell(r);
        bool is_found = false;
        const auto at = static_cast<std::size_t>(r);
        for (auto e = static_cast<std::size_t>(rows.offsets[at]);
             e < static_cast<std::size_t>(rows.offsets[at + 1]) && !is_found; ++e)
            is_found = rows.columns[e] == row && rows.values[e] != 0;
        if (!is_found) return row;
    }
    return -1;
}

Matrix ij_matrix(const MatrixRows& rows) {
    const char* caller = "hypre::ij_matrix";
    const RowNumbering& numbering = rows.numbering;
    const Communicator& comm = numbering.communicator();
    agree_on(comm, caller, [&] {
        impl::require_rows(caller, numbering);
        distview::impl::require_matrix_rows(caller, rows);
        constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<HYPRE_Int>::max());
        require<UsageError>(rows.local_entries() <= most, [&] {
            return text(caller, ": expected at most ", most, " entries on a rank, got ",
                        rows.local_entries());
        });
    });
    Matrix matrix(numbering);
    matrix.m_zero = impl::find_zero_on_diagonal(rows);
    checked(comm, caller, [&] {
        const auto count = static_cast<HYPRE_Int>(rows.local_rows());
        const auto first = static_cast<HYPRE_BigInt>(numbering.first_row());
        const HYPRE_BigInt last = first + count - 1;
        HYPRE_IJMatrix made = nullptr;
        call(HYPRE_IJMatrixCreate(impl::comm_of(comm), first, last, first, last, &made));
        matrix.m_matrix = std::make_shared<Handle<HYPRE_IJMatrix>>(made);
        call(HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR));
        RowSizes sizes = row_sizes(rows, first);
        call(HYPRE_IJMatrixSetDiagOffdSizes(made, sizes.own.data(), sizes.others.data()));
        call(HYPRE_IJMatrixSetMaxOffProcElmts(made, 0));
        call(HYPRE_IJMatrixInitialize(made));
        if (count > 0) {
            std::vector<HYPRE_BigInt> numbers(static_cast<std::size_t>(count));
            std::iota(numbers.begin(), numbers.end(), first);
            const auto offsets = impl::narrow<HYPRE_Int>(rows.offsets);
            const auto columns = impl::narrow<HYPRE_BigInt>(rows.columns);
            call(HYPRE_IJMatrixSetValues2(made, count, sizes.all.data(), numbers.data(),
                                          offsets.data(), columns.data(), rows.values.data()));
        }
        call(HYPRE_IJMatrixAssemble(made));
        void* object = nullptr;
        call(HYPRE_IJMatrixGetObject(made, &object));
        matrix.m_object = static_cast<HYPRE_ParCSRMatrix>(object);
        return 0;
    });
    return matrix;
}

} // namespace distview::hypre
