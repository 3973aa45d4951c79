// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <tuple>

namespace distview::testing {

void use_redistribution(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout from(ProcessGrid{comm.size(), 1}, {block(64), block(48)});
    const ArrayLayout to(ProcessGrid{1, comm.size()}, {block_cyclic(48, 3), block_cyclic(64, 2)});
    RedistributionPlan plan(comm, from, to, {.permutation = {1, 0}});
    const auto a = make_dist_view<double**>(exec, "a", comm, from);
    const auto c = make_dist_view<double**>(exec, "c", comm, to);
    const auto f =
        make_dist_view<float**, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "f", comm, to);
    const auto z = make_dist_view<Kokkos::complex<double>**>(exec, "z", comm, from);
    const auto t = make_dist_view<Kokkos::complex<double>**>(exec, "t", comm, to);
    plan.bind(exec, a, c);
    plan.execute(exec, a, c);
    plan.execute(exec, 2.0, a, 1.0, c);
    plan.execute(exec, a, f);
    plan.execute(exec, z, t);
    plan.execute(exec, std::tie(a, z), std::tie(c, t));
    plan.combine(exec, Maximum{}, a, c);
    auto handle = plan.start(exec, a, c);
    handle.can_finish();
    handle.finish();
    plan.execute(exec, AnyDistView(a), AnyDistView(c));
}

} // namespace distview::testing
