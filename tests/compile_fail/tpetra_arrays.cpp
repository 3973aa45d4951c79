// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/dist_view.hpp>
#include <distview/tpetra.hpp>

using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using distview::DistView;
using Exec = Kokkos::DefaultHostExecutionSpace;

void use(const distview::tpetra::Map& map, const DistView<double**, Right, Host>& u,
         const DistView<float**, Right, Host>& floats, const DistView<const double**, Right, Host>& fixed) {
    const auto nothing = [](const auto&, const auto&, const auto&) {};
    static_cast<void>(floats);
    static_cast<void>(fixed);
#if DISTVIEW_CASE == 0
    const distview::tpetra::MultiVector x(map, u);
    const auto a = distview::tpetra::make_operator<double**>(Exec(), map, nothing);
#elif DISTVIEW_CASE == 1 // expected: elements must be double, for which distview::tpetra is compiled
    const distview::tpetra::MultiVector x(map, floats);
#elif DISTVIEW_CASE == 2 // expected: elements must be double, for which distview::tpetra is compiled
    // A solver writes into the array, so its elements must not be const.
    const distview::tpetra::MultiVector x(map, fixed);
#elif DISTVIEW_CASE == 3 // expected: elements must be double, for which distview::tpetra is compiled
    const auto a = distview::tpetra::make_operator<float**>(Exec(), map, nothing);
#endif
}
