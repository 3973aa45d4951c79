// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <vector>

namespace distview::testing {

/// A function object that a program might pass.
struct Larger {
    template <class T>
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        return here < incoming ? incoming : here;
    }
};

void use_padding_exchange(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    PaddingExchangePlan plan(comm, layout);
    const auto u = make_dist_view<double***>(exec, "u", comm, layout);
    const auto v =
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "v", comm, layout);
    const auto w = make_dist_view<int***, Kokkos::CudaUVMSpace>(exec, "w", comm, layout);
    const auto x =
        make_dist_view<std::int8_t***, Kokkos::CudaHostPinnedSpace>(exec, "x", comm, layout);
    plan.bind(exec, u, v);
    plan.bind(exec, w, x);
    plan.execute(exec, u);
    plan.execute(exec, u, v, w, x);
    auto exchange = plan.start(exec, u);
    if (exchange.can_finish()) exchange.finish(plan.inner_cells());
    exchange.finish_filling();
    plan.wait_for_readers();
    const std::vector<AnyDistView> any{u, v};
    plan.bind(exec, any);
    plan.execute(exec, any);
    plan.combine(exec, Sum{}, u, v, w, x);
    plan.start_combine(exec, Larger{}, u, w).finish();
}

} // namespace distview::testing
