// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/matrix_rows.hpp>
#include <distview/interop/unpadded_stencil.hpp>
#include <distview/petsc/vector.hpp>

#include <petscmat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace distview::petsc {

using Matrix = Handle<Mat>;

namespace impl {

using Apply = std::function<void(const double*, double*)>;

/// `diagonal` is null without a diagonal, and may be null if this process has no rows.
Matrix make_shell(const RowNumbering& rows, const Apply& apply, bool has_diagonal,
                  const Owner& diagonal_owner, const double* diagonal);
Matrix make_dense(const RowNumbering& rows, double* data, std::int64_t columns, const Owner& owner);

/// This process's section over memory of PETSc.
template <class DataType>
auto section_over(const RowNumbering& rows, typename Kokkos::View<DataType>::value_type* data) {
    using View = Kokkos::View<DataType, Kokkos::LayoutRight, Kokkos::HostSpace>;
    const int process = rows.communicator().rank();
    const Extents extents = rows.layout().local_extents(process);
    Kokkos::LayoutRight shape;
    for (std::size_t d = 0; d < View::rank(); ++d)
        shape.dimension[d] = static_cast<std::size_t>(extents[d]);
    return DistViewOf<View>(rows.layout(), process, View(data, shape));
}

template <class T>
inline constexpr bool is_stencil = false;
template <class Functor>
inline constexpr bool is_stencil<StencilOperator<Functor>> = true;

} // namespace impl

/// A matrix of PETSc's type aij, from rows that assemble() made; its block size is the numbering's unknowns_per_cell.
///
/// Collective: over the numbering's communicator
/// Cost:       PETSc's own copy of the entries
/// Errors:     UsageError if PETSc is not running, rows are not contiguous, rows do not fit their numbering, or
///             their number exceeds a PetscInt; SolverError of PETSc (thrown on all ranks)
Matrix aij_matrix(const MatrixRows& matrix);

/// An operator as a matrix without entries (MATSHELL): MatMult() calls op(exec, x, y), as ConjugateGradient does, with
/// arrays over the memory of PETSc's vectors.
///
///     petsc::Matrix a = petsc::shell_matrix<double***>(exec, rows, StencilOperator{plan, laplace});
///
/// A StencilOperator works on padded arrays: each product copies x into one, see UnpaddedStencil. The matrix refers to
/// the stencil's plan and does not keep it: the plan must stay at its address, and not be in use, until the last
/// product with the matrix, which PETSc may keep longer than this handle (in a KSP, say). PETSc's Jacobi preconditioner
/// needs `diagonal`, an array of the layout rows.layout(). If the operator throws on all ranks, checked() or solve()
/// throws its exception.
///
/// Collective: over the numbering's communicator, as MatMult() is
/// Shapes:     `DataType` is that of the arrays: double*** for three axes
/// Cost:       a stencil needs one padded array
/// Errors:     those of vector(); ShapeError if `DataType` has other axes than the layout; UsageError if the stencil's
///             plan has another layout, or only some ranks pass a diagonal (thrown on all ranks)
template <class DataType, ExecutionSpace Exec, class Operator, DistViewLike Diagonal>
Matrix shell_matrix(const Exec& exec, const RowNumbering& rows, const Operator& op,
                    const Diagonal& diagonal) {
    impl::require_host_doubles<Diagonal>();
    static_assert(
        std::is_same_v<typename Kokkos::View<DataType>::value_type, PetscScalar>,
        "petsc: the elements of a shell matrix's arrays must be PETSc's scalars (double)");
    static_assert(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible,
                  "petsc: the execution space of a shell matrix must reach memory of the host");
    const char* const caller = "petsc::shell_matrix";
    const CollectiveCall call(rows.communicator(), caller);
    const bool has_diagonal = diagonal.identity() != 0;
    impl::Owner owner;
    const auto memory = agree_on(
        rows.communicator(), caller,
        [&] {
            distview::impl::require_operator<DataType>(caller, rows, op);
            owner = std::make_shared<Diagonal>(diagonal);
            return has_diagonal ? solver_memory(caller, rows, diagonal)
                                : SolverMemory<typename Diagonal::value_type>{};
        },
        has_diagonal ? 1 : 2,
        [&] { return std::vector<Argument>{{"diagonal", has_diagonal ? "an array" : "none"}}; });
    const auto shell = [&](const auto& applied) {
        // The function may allocate, which may fail on this rank alone.
        const impl::Apply apply = agree_on(rows.communicator(), caller, [&] {
            return impl::Apply([exec, rows, applied](const double* x, double* y) {
                using ConstData = typename Kokkos::View<DataType>::const_data_type;
                applied(exec, impl::section_over<ConstData>(rows, x),
                        impl::section_over<DataType>(rows, y));
                exec.fence("distview::petsc::shell_matrix: y is complete");
            });
        });
        return impl::make_shell(rows, apply, has_diagonal, owner, memory.data);
    };
    if constexpr (impl::is_stencil<Operator>)
        return shell(unpadded_stencil<DataType>(exec, rows.communicator(), op));
    else
        return shell(op);
}
template <class DataType, ExecutionSpace Exec, class Operator>
Matrix shell_matrix(const Exec& exec, const RowNumbering& rows, const Operator& op) {
    return shell_matrix<DataType>(exec, rows, op,
                                  DistView<DataType, Kokkos::LayoutRight, Kokkos::HostSpace>());
}

/// Several fields as the columns of a dense matrix, without a copy. The first axis of the array counts the fields and
/// is on one process.
///
/// Collective: over the numbering's communicator
/// Shapes:     (fields, ...): the axes behind the first as those of rows.layout()
/// Errors:     those of vector()
template <DistViewLike View>
Matrix dense_matrix(const RowNumbering& rows, const View& fields) {
    impl::require_host_doubles<View>();
    static_assert(!std::is_const_v<typename View::value_type>,
                  "petsc: the elements of a dense matrix must not be const");
    const auto owner = agree_on(rows.communicator(), "petsc::dense_matrix", [&] {
        const ArrayLayout& layout = rows.layout();
        bool fits = View::rank() == layout.rank() + 1 &&
                    fields.process() == rows.communicator().rank() &&
                    fields.layout().grid().extent(0) == 1 && fields.view().span_is_contiguous() &&
                    std::is_same_v<typename View::array_layout, Kokkos::LayoutRight> &&
                    fields.view().size() ==
                        static_cast<std::size_t>(rows.local_rows()) * fields.view().extent(0);
        if (fits) {
            std::vector<int> grid{1};
            std::vector<AxisSpec> axes{axis_spec(without_padding(fields.layout()).axis(0))};
            for (int d = 0; d < layout.rank(); ++d) {
                grid.push_back(layout.grid().extent(d));
                axes.push_back(axis_spec(layout.axis(d)));
            }
            fits = fields.layout() == ArrayLayout(ProcessGrid(std::span<const int>(grid)), axes);
        }
        require<ShapeError>(fits, [&] {
            return text(
                "petsc::dense_matrix: expected fields without padding in C order (LayoutRight): a "
                "first axis on one process that counts the fields, then the axes of a\n",
                layout.describe(), "\ngot '", fields.label(), "' in a ",
                fields.layout().describe());
        });
        return impl::Owner(std::make_shared<View>(fields));
    });
    return impl::make_dense(rows, fields.view().data(),
                            static_cast<std::int64_t>(fields.view().extent(0)), owner);
}

/// Replaces the values of a matrix of aij_matrix(), for time steps: sets the entries of `rows` and all others to zero.
/// Objects made with the matrix (a KSP, a null space) stay.
///
/// Collective: over the numbering's communicator
/// Cost:       entries are looked up and written; allocates memory for one row only
/// Errors:     UsageError if PETSc is not running, or the matrix is null, of other processes or of another type;
///             ShapeError if sizes do not fit; SolverError if rows have an entry that the matrix does not have; its
///             values are then undefined (thrown on all ranks)
void set_values(Mat matrix, const MatrixRows& rows);

/// Declares A 1 = 0 for a matrix: with periodic or Neumann sides, solutions are determined up to a constant.
/// KSPSolve() then subtracts the constant part of the right side. PETSc does not check it.
///
/// Collective: over the numbering's communicator
/// Errors:     UsageError if PETSc is not running, or the matrix is null or of other processes; SolverError of PETSc
///             (thrown on all ranks)
void set_constant_null_space(const RowNumbering& rows, Mat matrix);

} // namespace distview::petsc
