// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/elements.hpp>
#include <distview/comm/migration_plan.hpp>

#include <tuple>
#include <vector>

using distview::DistView;
using distview::GatherPlan;
using distview::MigrationPlan;
using distview::Sum;

void use(const Kokkos::DefaultHostExecutionSpace& exec, GatherPlan& plan, MigrationPlan& migration,
         const DistView<double*, Kokkos::HostSpace>& u,
         const Kokkos::View<double*, Kokkos::HostSpace>& values,
         const std::vector<double>& numbers) {
    static_cast<void>(numbers);
    static_cast<void>(migration);
#if DISTVIEW_CASE == 0
    plan.execute(exec, u, values);
    plan.combine(exec, Sum{}, std::tie(values, values), std::tie(u, u));
    migration.execute(exec, values, values);
#elif DISTVIEW_CASE == 1 // expected: no matching function
    // names: ValueLists
    plan.execute(exec, u, numbers);
#elif DISTVIEW_CASE == 2 // expected: no matching function
    // names: DistViews
    plan.execute(exec, values, values);
#elif DISTVIEW_CASE == 3 // expected: no matching function
    // names: ValueLists
    migration.execute(exec, numbers, values);
#elif DISTVIEW_CASE == 4 // expected: no matching function
    // names: DistViews
    distview::get_elements(exec, plan.communicator(), values, distview::IndexList({1}));
#endif
}
