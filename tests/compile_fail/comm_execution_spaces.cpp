// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

/// A device for which the library has no device layer, such as Kokkos::HIP.
struct OtherDevice : Kokkos::DefaultHostExecutionSpace {
    struct memory_space {};
};

bool uses_device() {
#if DISTVIEW_CASE == 0
    return distview::impl::on_device<Kokkos::DefaultHostExecutionSpace>;
#elif DISTVIEW_CASE == 1  // expected: HIP, SYCL and others have no device layer
    return distview::impl::on_device<OtherDevice>;
#endif
}
