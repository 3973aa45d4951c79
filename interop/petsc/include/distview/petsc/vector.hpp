// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/core/concepts.hpp>
#include <distview/interop/row_numbering.hpp>
#include <distview/interop/solver_memory.hpp>
#include <distview/petsc/handle.hpp>

#include <petscvec.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace distview::petsc {

using Vector = Handle<Vec>;
using IndexSet = Handle<IS>;

namespace impl {

/// Keeps memory alive as long as an object of PETSc needs it.
using Owner = std::shared_ptr<const void>;

Vector make_vector(const RowNumbering& rows, const double* data, bool read_only,
                   const Owner& owner);

template <DistViewLike View>
void require_host_doubles() {
    static_assert(std::is_same_v<typename View::non_const_value_type, PetscScalar>,
                  "petsc: the elements of the array must be PETSc's scalars (double)");
    static_assert(
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
        "petsc: the array must be in memory of the host");
}

} // namespace impl

/// The cells of an array as a Vec, without a copy: VecGetArrayRead() returns the array's own memory.
///
///     auto u = make_dist_view<double***, Kokkos::LayoutRight>(exec, "u", comm, rows.layout());
///     petsc::Vector x = petsc::vector(rows, u);
///     KSPSolve(ksp, b, x);                        // the solution is in u
///
/// The memory lives as long as the Vec or the last copy of the array. If the array's elements are const, the Vec is
/// locked for reading. PETSc keeps norms of a Vec until its own calls write it: after the program writes the array, it
/// has to call mark_written(); solve() does so itself.
///
/// Collective: over the numbering's communicator
/// Shapes:     rows.layout(): no padding; C order (LayoutRight) without gaps
/// Space:      memory of the host; kernels that write the array have to be fenced before PETSc reads it
/// Cost:       some agreements and PETSc's VecCreateMPIWithArray(); no element is copied
/// Errors:     UsageError if PETSc is not running, rows are not contiguous or more than a PetscInt counts; ShapeError if
///             the array has padding, another layout or gaps; SolverError of PETSc (thrown on all ranks)
template <DistViewLike View>
Vector vector(const RowNumbering& rows, const View& array) {
    impl::require_host_doubles<View>();
    const auto [memory, owner] = agree_on(rows.communicator(), "petsc::vector", [&] {
        return std::pair(solver_memory("petsc::vector", rows, array),
                         impl::Owner(std::make_shared<View>(array)));
    });
    return impl::make_vector(rows, memory.data, std::is_const_v<typename View::value_type>, owner);
}

/// Informs PETSc that a kernel, for instance, wrote elements in the memory of a Vec: PETSc discards the norms that
/// VecNorm() and KSPSolve() would otherwise use. Call it after writing the array of a Vec and before your own calls of
/// PETSc.
///
/// Collective: no (local), but on all ranks of the Vec
/// Errors:     UsageError if the Vec is null
void mark_written(Vec vector);

/// The rows of this process's cells, in C order. With RowOrder::global they map the elements of a PETSc vector ordered
/// by rank to a vector in the natural order of the array.
///
/// Collective: over the numbering's communicator
/// Errors:     UsageError if PETSc is not running, or the number of rows exceeds a PetscInt; SolverError of PETSc
///             (thrown on all ranks)
IndexSet index_set(const RowNumbering& rows);

/// A layout of one axis: its blocks are the ranges of a Vec that ranks own, or its labels are the indices of an IS.
///
/// Collective: over comm, which has the processes of the Vec or IS
/// Cost:       for an IS that of a RowNumbering, which examines all indices
/// Errors:     UsageError if the object has other processes, or an index is on several; LayoutError if an index occurs
///             twice on a process (thrown on all ranks)
ArrayLayout layout_of(const Communicator& comm, Vec vector);
ArrayLayout layout_of(const Communicator& comm, IS indices);

} // namespace distview::petsc
