// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_plan.hpp>

#include <tuple>
#include <vector>

using distview::DistView;
using distview::RedistributionPlan;
using distview::Sum;

void use(const Kokkos::DefaultHostExecutionSpace& exec, RedistributionPlan& plan,
         const DistView<double*, Kokkos::HostSpace>& a,
         const DistView<double*, Kokkos::HostSpace>& c, const std::vector<double>& numbers) {
    static_cast<void>(numbers);
#if DISTVIEW_CASE == 0
    plan.execute(exec, a, c);
    plan.execute(exec, std::tie(a, c), std::tie(c, a));
    plan.execute(exec, 2.0, a, 1.0, &c);
    plan.combine(exec, Sum{}, a, c);
#elif DISTVIEW_CASE == 1 // expected: no matching (member )?function
    // names: Sections
    plan.execute(exec, a, numbers);
#elif DISTVIEW_CASE == 2 // expected: no matching (member )?function
    // names: Sections
    plan.combine(exec, Sum{}, numbers, c);
#elif DISTVIEW_CASE == 3 // expected: no matching (member )?function
    // names: Sections
    plan.execute(exec, std::tie(a, numbers), std::tie(c, a));
#elif DISTVIEW_CASE == 4 // expected: as many sources as targets
    plan.execute(exec, std::tie(a, c), c);
#endif
}
