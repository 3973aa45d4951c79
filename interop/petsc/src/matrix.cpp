// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/matrix.hpp>

#include "owned.hpp"
#include "pending.hpp"

#include <distview/petsc/checked.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace distview::petsc {

namespace impl {

namespace {

struct Shell {
    Apply apply;
    Owner diagonal_owner;
    const double* diagonal = nullptr;
};

// keep() stores the shell, because the type of a context's destroy function differs between releases of PETSc.
PetscErrorCode shell_of(Mat matrix, Shell** shell) {
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(matrix, static_cast<void*>(shell)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
    Shell* shell = nullptr;
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    PetscFunctionBeginUser;
    PetscCall(shell_of(matrix, &shell));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    bool failed = false;
    try {
        shell->apply(from, to);
    } catch (...) {
        set_pending(std::current_exception());
        failed = true;
    }
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "the operator of a shell matrix threw");
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode get_diagonal(Mat matrix, Vec diagonal) {
    Shell* shell = nullptr;
    PetscScalar* to = nullptr;
    PetscInt count = 0;
    PetscFunctionBeginUser;
    PetscCall(shell_of(matrix, &shell));
    PetscCall(VecGetLocalSize(diagonal, &count));
    PetscCall(VecGetArrayWrite(diagonal, &to));
    std::copy_n(shell->diagonal, count, to);
    PetscCall(VecRestoreArrayWrite(diagonal, &to));
    PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Matrix make_shell(const RowNumbering& rows, const Apply& apply, bool has_diagonal,
                  const Owner& diagonal_owner, const double* diagonal) {
    const char* caller = "petsc::shell_matrix";
    std::shared_ptr<Shell> shell;
    auto kept = agree_on(rows.communicator(), caller, [&] {
        require_rows(caller, rows);
        shell = std::make_shared<Shell>(Shell{apply, diagonal_owner, diagonal});
        return std::make_unique<Owner>(shell);
    });
    Matrix matrix;
    checked(rows.communicator(), caller, [&]() -> int {
        const auto mine = static_cast<PetscInt>(rows.local_rows());
        const auto all = static_cast<PetscInt>(rows.rows());
        Mat made = nullptr;
        PetscCall(MatCreateShell(comm_of(rows), mine, mine, all, all, shell.get(), &made));
        matrix = Matrix(made);
        PetscCall(MatSetBlockSize(made, rows.unknowns_per_cell()));
        PetscCall(keep(reinterpret_cast<PetscObject>(made), std::move(kept)));
        PetscCall(
            MatShellSetOperation(made, MATOP_MULT, reinterpret_cast<void (*)(void)>(&multiply)));
        if (has_diagonal)
            PetscCall(MatShellSetOperation(made, MATOP_GET_DIAGONAL,
                                           reinterpret_cast<void (*)(void)>(&get_diagonal)));
        return PETSC_SUCCESS;
    });
    return matrix;
}

Matrix make_dense(const RowNumbering& rows, double* data, std::int64_t columns,
                  const Owner& owner) {
    const char* caller = "petsc::dense_matrix";
    auto kept = agree_on(rows.communicator(), caller, [&] {
        require_rows(caller, rows);
        return std::make_unique<Owner>(owner);
    });
    Matrix matrix;
    checked(rows.communicator(), caller, [&]() -> int {
        Mat made = nullptr;
        PetscCall(MatCreateDense(comm_of(rows), static_cast<PetscInt>(rows.local_rows()),
                                 PETSC_DECIDE, static_cast<PetscInt>(rows.rows()),
                                 static_cast<PetscInt>(columns), data, &made));
        matrix = Matrix(made);
        PetscCall(keep(reinterpret_cast<PetscObject>(made), std::move(kept)));
        return PETSC_SUCCESS;
    });
    return matrix;
}

} // namespace impl

Matrix aij_matrix(const MatrixRows& rows) {
    const char* caller = "petsc::aij_matrix";
    const RowNumbering& numbering = rows.numbering;
    const CollectiveCall call(numbering.communicator(), caller);
    // Allocates before PETSc communicates: if memory ended on this rank later, the others would wait in PETSc's calls.
    std::vector<PetscInt> offsets, columns;
    agree_on(numbering.communicator(), caller, [&] {
        impl::require_rows(caller, numbering);
        distview::impl::require_matrix_rows(caller, rows);
        require<UsageError>(rows.local_entries() <= std::numeric_limits<PetscInt>::max(), [&] {
            return text(caller, ": expected at most ", std::numeric_limits<PetscInt>::max(),
                        " entries on a rank, got ", rows.local_entries());
        });
        offsets = impl::narrow(rows.offsets);
        columns = impl::narrow(rows.columns);
    });
    Matrix matrix;
    checked(numbering.communicator(), caller, [&]() -> int {
        const auto mine = static_cast<PetscInt>(numbering.local_rows());
        const auto all = static_cast<PetscInt>(numbering.rows());
        Mat made = nullptr;
        PetscCall(MatCreate(impl::comm_of(numbering), &made));
        matrix = Matrix(made);
        PetscCall(MatSetSizes(made, mine, mine, all, all));
        PetscCall(MatSetBlockSize(made, numbering.unknowns_per_cell()));
        PetscCall(MatSetType(made, MATAIJ));
        // Each call does nothing for a matrix of the other type.
        PetscCall(
            MatSeqAIJSetPreallocationCSR(made, offsets.data(), columns.data(), rows.values.data()));
        PetscCall(
            MatMPIAIJSetPreallocationCSR(made, offsets.data(), columns.data(), rows.values.data()));
        return PETSC_SUCCESS;
    });
    return matrix;
}

void set_values(Mat matrix, const MatrixRows& rows) {
    const char* caller = "petsc::set_values";
    const RowNumbering& numbering = rows.numbering;
    const Communicator& comm = numbering.communicator();
    checked(comm, caller, [&]() -> int {
        PetscInt mine = 0, columns = 0;
        PetscBool is_aij = PETSC_FALSE;
        const auto object = reinterpret_cast<PetscObject>(matrix);
        impl::require_processes(caller, comm, object);
        impl::require_rows(caller, numbering);
        distview::impl::require_matrix_rows(caller, rows);
        PetscCall(MatGetLocalSize(matrix, &mine, &columns));
        require<ShapeError>(mine == numbering.local_rows() && columns == mine, [&] {
            return text(caller, ": expected a matrix of ", numbering.local_rows(),
                        " rows and columns on this rank, got ", mine, " and ", columns);
        });
        PetscCall(PetscObjectTypeCompareAny(object, &is_aij, MATSEQAIJ, MATMPIAIJ, ""));
        require<UsageError>(is_aij == PETSC_TRUE, [&] {
            return text(caller,
                        ": expected a matrix made by aij_matrix(), got one of another type");
        });
        return PETSC_SUCCESS;
    });
    // One rank alone detects an entry outside the matrix, before other ranks wait for it. The matrix is then assembled
    // all the same, so that it can be used again.
    std::exception_ptr failure;
    try {
        checked(comm, caller, [&]() -> int {
            PetscCall(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
            PetscCall(MatZeroEntries(matrix));
            std::vector<PetscInt> columns;
            for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
                const auto begin =
                    static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(r)]);
                const auto end =
                    static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(r) + 1]);
                columns.clear();
                for (std::size_t e = begin; e < end; ++e)
                    columns.push_back(static_cast<PetscInt>(rows.columns[e]));
                const auto row = static_cast<PetscInt>(numbering.row_of_cell(r));
                PetscCall(MatSetValues(matrix, 1, &row, static_cast<PetscInt>(columns.size()),
                                       columns.data(), rows.values.data() + begin, INSERT_VALUES));
            }
            return PETSC_SUCCESS;
        });
    } catch (...) {
        failure = std::current_exception(); // the same on all ranks
    }
    checked(comm, caller, [&]() -> int {
        PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
        return PETSC_SUCCESS;
    });
    if (failure) std::rethrow_exception(failure);
}

void set_constant_null_space(const RowNumbering& rows, Mat matrix) {
    const char* caller = "petsc::set_constant_null_space";
    checked(rows.communicator(), caller, [&] {
        impl::require_processes(caller, rows.communicator(), reinterpret_cast<PetscObject>(matrix));
        return 0;
    });
    checked(rows.communicator(), caller, [&]() -> int {
        MatNullSpace space = nullptr;
        PetscCall(MatNullSpaceCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)),
                                     PETSC_TRUE, 0, nullptr, &space));
        PetscCall(MatSetNullSpace(matrix, space));
        PetscCall(MatSetTransposeNullSpace(matrix, space));
        PetscCall(MatNullSpaceDestroy(&space));
        return PETSC_SUCCESS;
    });
}

} // namespace distview::petsc
