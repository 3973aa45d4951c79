// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cstdint>

namespace distview::testing {

namespace {

template <class A>
void use_array(const Cuda& exec, const Communicator& comm, const A& a, const A& b) {
    const auto u = a.view();
    const auto v = b.view();
    fill(exec, a, 1);
    fill_with(
        exec, a, KOKKOS_LAMBDA(GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            return static_cast<typename A::value_type>(100 * i + 10 * j + k);
        });
    for_each(exec, b, KOKKOS_LAMBDA(int i, int j, int k) { v(i, j, k) = u(i, j, k); });
    for_each(
        exec, b, KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) { v(i, j, k) += 1; },
        Cells::owned);
    for_each_global(exec, b, KOKKOS_LAMBDA(GlobalIndex, GlobalIndex, GlobalIndex){});
    copy(exec, a, b);
    axpby(exec, 2, a, 1, b);
    scale(exec, 3, b);
    PaddingExchangePlan plan(comm, a.layout());
    apply_stencil(
        exec, plan, b,
        KOKKOS_LAMBDA(int i, int j, int k) { v(i, j, k) = u(i - 1, j, k) + u(i + 1, j, k); }, a);
    const auto all = gather(exec, comm, a, 0);
    scatter(exec, comm, all, 0, b);
}

} // namespace

void use_algorithms(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    use_array(exec, comm, make_dist_view<double***>(exec, "a", comm, layout),
              make_dist_view<double***>(exec, "b", comm, layout));
    use_array(
        exec, comm,
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "a", comm, layout),
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "b", comm, layout));
}

} // namespace distview::testing
