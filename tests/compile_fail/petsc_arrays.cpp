// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/dist_view.hpp>
#include <distview/petsc.hpp>

using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using distview::DistView;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// Memory that the host cannot access.
struct FarSpace {
    using memory_space = FarSpace;
    using execution_space = Kokkos::DefaultHostExecutionSpace;
    using device_type = Kokkos::Device<execution_space, memory_space>;
    using size_type = std::size_t;
    static constexpr const char* name() { return "Far"; }
};

void use(const distview::RowNumbering& rows, const DistView<double**, Right, Host>& u,
         const DistView<float**, Right, Host>& floats, const DistView<const double***, Right, Host>& fixed) {
    const auto nothing = [](const auto&, const auto&, const auto&) {};
    static_cast<void>(floats);
    static_cast<void>(fixed);
#if DISTVIEW_CASE == 0
    const distview::petsc::Vector x = distview::petsc::vector(rows, u);
    const distview::petsc::Matrix a = distview::petsc::shell_matrix<double**>(Exec(), rows, nothing);
#elif DISTVIEW_CASE == 1 // expected: the elements of the array must be PETSc's scalars .double.
    const distview::petsc::Vector x = distview::petsc::vector(rows, floats);
#elif DISTVIEW_CASE == 2 // expected: elements of a shell matrix's arrays must be PETSc's scalars .double.
    const distview::petsc::Matrix a = distview::petsc::shell_matrix<float**>(Exec(), rows, nothing);
#elif DISTVIEW_CASE == 3 // expected: the elements of a dense matrix must not be const
    const distview::petsc::Matrix a = distview::petsc::dense_matrix(rows, fixed);
#elif DISTVIEW_CASE == 4 // expected: the array must be in memory of the host
    distview::petsc::impl::require_host_doubles<DistView<double**, Right, FarSpace>>();
#elif DISTVIEW_CASE == 5 // expected: no matching function|constraints not satisfied
    // A plain Kokkos View has no layout.
    const distview::petsc::Vector x = distview::petsc::vector(rows, u.view());
#endif
}
