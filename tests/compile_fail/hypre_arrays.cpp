// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/dist_view.hpp>
#include <distview/hypre.hpp>

using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using distview::DistView;

void use(const distview::RowNumbering& rows, const distview::hypre::StructGrid& grid,
         const DistView<double**, Right, Host>& u, const DistView<float**, Right, Host>& floats) {
    static_cast<void>(floats);
#if DISTVIEW_CASE == 0
    distview::hypre::vector(rows, u).put();
    distview::hypre::struct_vector(grid, u).put();
#elif DISTVIEW_CASE == 1 // expected: the elements of the array must be hypre's scalars .double.
    distview::hypre::vector(rows, floats).put();
#elif DISTVIEW_CASE == 2 // expected: the elements of the array must be hypre's scalars .double.
    distview::hypre::struct_vector(grid, floats).put();
#elif DISTVIEW_CASE == 3 // expected: deleted
    // A vector of hypre has one owner; a copy would refer to the same vector.
    const distview::hypre::Vector x = distview::hypre::vector(rows, u), y = x;
#endif
}
