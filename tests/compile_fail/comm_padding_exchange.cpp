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
    // An exchange that nobody finishes.
    plan.start(exec, a);
#elif DISTVIEW_CASE == 2  // expected: deleted
    // A plan has an exchange in flight or not: two of them would not know of each other.
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
