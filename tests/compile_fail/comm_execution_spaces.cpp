// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_plan.hpp>

/// A device that the library does not know, as Kokkos::HIP is.
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
