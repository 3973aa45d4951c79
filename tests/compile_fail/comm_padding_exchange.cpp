// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

#include <string>

using distview::DistView;
using distview::PaddingExchangePlan;

struct NotTrivial {
    std::string name;
};

void use(const Kokkos::DefaultHostExecutionSpace& exec, PaddingExchangePlan& plan,
         const DistView<double*, Kokkos::HostSpace>& a,
         const DistView<NotTrivial*, Kokkos::HostSpace>& names) {
    static_cast<void>(names);
#if DISTVIEW_CASE == 0
    auto exchange = plan.start(exec, a);
    exchange.finish();
    plan.execute(exec, a, a);
#elif DISTVIEW_CASE == 1  // expected: nodiscard
    // The returned handle is discarded: nobody would finish the exchange.
    plan.start(exec, a);
#elif DISTVIEW_CASE == 2  // expected: deleted
    // The state "in flight" belongs to one plan: a copy would not know of the exchange of the original.
    PaddingExchangePlan copy = plan;
    copy.execute(exec, a);
#elif DISTVIEW_CASE == 3  // expected: deleted
    auto exchange = plan.start(exec, a);
    auto second = exchange;
    second.finish();
#elif DISTVIEW_CASE == 4  // expected: but they are const
    const DistView<const double*, Kokkos::HostSpace> read_only = a;
    plan.execute(exec, read_only);
#elif DISTVIEW_CASE == 5  // expected: trivially copyable
    plan.execute(exec, names);
#endif
}
