// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/matrix.hpp>

#include "call.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>
#include <distview/interop/solver_error.hpp>
#include <distview/interop/solver_memory.hpp>

#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace distview::hypre {

using impl::call;

namespace {

/// Rows in hypre's form. Each row has a number, and counts of its entries: all, in this process's columns, in others.
struct Lists {
    std::vector<HYPRE_Int> all, own, others, offsets;
    std::vector<HYPRE_BigInt> numbers, columns;
};

Lists lists_of(const MatrixRows& rows) {
    Lists lists;
    const std::int64_t first = rows.numbering.first_row();
    const auto count = static_cast<std::size_t>(rows.local_rows());
    for (std::size_t r = 0; r < count; ++r) {
        HYPRE_Int own = 0;
        for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
            const std::int64_t column = rows.columns[static_cast<std::size_t>(e)] - first;
            own += column >= 0 && column < rows.local_rows();
        }
        const auto all = static_cast<HYPRE_Int>(rows.offsets[r + 1] - rows.offsets[r]);
        lists.all.push_back(all);
        lists.own.push_back(own);
        lists.others.push_back(all - own);
    }
    lists.numbers.resize(count);
    std::iota(lists.numbers.begin(), lists.numbers.end(), static_cast<HYPRE_BigInt>(first));
    lists.offsets = impl::narrow<HYPRE_Int>(rows.offsets);
    lists.columns = impl::narrow<HYPRE_BigInt>(rows.columns);
    return lists;
}

/// Allocates before hypre communicates: if memory ended on this rank later, the others would wait in hypre's calls.
Lists lists_of(const char* caller, const MatrixRows& rows) {
    impl::require_rows(caller, rows.numbering);
    distview::impl::require_matrix_rows(caller, rows);
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<HYPRE_Int>::max());
    require<UsageError>(rows.local_entries() <= most, [&] {
        return text(caller, ": expected at most ", most, " entries on a rank, got ",
                    rows.local_entries());
    });
    return lists_of(rows);
}

HYPRE_Int write(HYPRE_IJMatrix matrix, Lists& lists, const MatrixRows& rows) {
    if (rows.local_entries() == 0) return 0; // hypre takes no null pointers
    return HYPRE_IJMatrixSetValues2(matrix, static_cast<HYPRE_Int>(rows.local_rows()),
                                    lists.all.data(), lists.numbers.data(), lists.offsets.data(),
                                    lists.columns.data(), rows.values.data());
}

/// Throws if rows have an entry that the matrix does not have. HYPRE_IJMatrixSetValues2() ignores some such entries,
/// and for one on the diagonal reads beyond the row (hypre 2.20 to 3.1). Local; the matrix's values become 1.
void require_entries(const char* caller, HYPRE_IJMatrix matrix, Lists& lists,
                     const MatrixRows& rows, std::vector<HYPRE_Complex>& found) {
    if (rows.local_entries() == 0) return;
    call(HYPRE_IJMatrixSetConstantValues(matrix, 1));
    call(HYPRE_IJMatrixGetValues(matrix, static_cast<HYPRE_Int>(rows.local_rows()),
                                 lists.all.data(), lists.numbers.data(), lists.columns.data(),
                                 found.data()));
    std::size_t e = 0;
    for (std::size_t r = 0; r < lists.all.size(); ++r)
        for (const auto end = static_cast<std::size_t>(rows.offsets[r + 1]); e < end; ++e)
            if (found[e] == 0)
                throw SolverError(text(caller,
                                       ": expected only entries that the matrix has, got column ",
                                       rows.columns[e], " in row ", lists.numbers[r]),
                                  0);
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
    const CollectiveCall naming(comm, caller);
    Matrix matrix(numbering);
    Lists lists = agree_on(comm, caller, [&] {
        Lists found = lists_of(caller, rows);
        matrix.m_state = std::make_shared<Matrix::State>();
        matrix.m_state->zero = impl::find_zero_on_diagonal(rows);
        return found;
    });
    checked(comm, caller, [&] {
        const auto count = static_cast<HYPRE_Int>(rows.local_rows());
        const auto first = static_cast<HYPRE_BigInt>(numbering.first_row());
        const HYPRE_BigInt last = first + count - 1;
        HYPRE_IJMatrix made = nullptr;
        call(HYPRE_IJMatrixCreate(impl::comm_of(comm), first, last, first, last, &made));
        matrix.m_state->matrix = Handle<HYPRE_IJMatrix>(made);
        call(HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR));
        call(HYPRE_IJMatrixSetDiagOffdSizes(made, lists.own.data(), lists.others.data()));
        call(HYPRE_IJMatrixSetMaxOffProcElmts(made, 0));
        call(HYPRE_IJMatrixInitialize(made));
        call(write(made, lists, rows));
        call(HYPRE_IJMatrixAssemble(made));
        void* object = nullptr;
        call(HYPRE_IJMatrixGetObject(made, &object));
        matrix.m_state->object = static_cast<HYPRE_ParCSRMatrix>(object);
        return 0;
    });
    return matrix;
}

void set_values(const Matrix& matrix, const MatrixRows& rows) {
    const char* caller = "hypre::set_values";
    const Communicator& comm = rows.numbering.communicator();
    const CollectiveCall naming(comm, caller);
    std::vector<HYPRE_Complex> found;
    Lists lists = agree_on(comm, caller, [&] {
        require<UsageError>(matrix.get(), [&] {
            return text(caller, ": expected a matrix, got one whose object was moved to another");
        });
        const bool has_ranks = matrix.rows().communicator() == comm;
        require<UsageError>(has_ranks && matrix.rows().layout() == rows.numbering.layout() &&
                                matrix.rows().order() == rows.numbering.order(),
                            [&] {
                                return text(caller,
                                            ": expected rows with the matrix's layout, order and "
                                            "communicator\n",
                                            distview::impl::describe(matrix.rows()),
                                            "\ngot rows with ",
                                            distview::impl::describe(rows.numbering),
                                            has_ranks ? "" : "\nover another communicator");
                            });
        found.resize(rows.values.size());
        return lists_of(caller, rows);
    });
    checked(comm, caller, [&] {
        require_entries(caller, matrix, lists, rows, found);
        return 0;
    });
    ++matrix.m_state->changes;
    matrix.m_state->zero = impl::find_zero_on_diagonal(rows);
    checked(comm, caller, [&] {
        call(HYPRE_IJMatrixInitialize(matrix));
        call(HYPRE_IJMatrixSetConstantValues(matrix, 0));
        call(write(matrix, lists, rows));
        call(HYPRE_IJMatrixAssemble(matrix));
        return 0;
    });
}

} // namespace distview::hypre
