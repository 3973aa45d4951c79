// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/elements.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/migration_plan.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

using distview::DistView;
using distview::GatherPlan;
using distview::MigrationPlan;
using distview::Sum;

/// Resembles device memory: the device's threads access it and the host does not.
struct DeviceMemory;
struct DeviceThreads : Kokkos::DefaultHostExecutionSpace {
    using execution_space = DeviceThreads;
    using memory_space = DeviceMemory;
};
struct DeviceMemory {
    using memory_space = DeviceMemory;
    using execution_space = DeviceThreads;
    using device_type = Kokkos::Device<execution_space, memory_space>;
    using size_type = std::size_t;
};
template <class T, class Memory = DeviceMemory>
using Elements = distview::GlobalElements<T, 1, Memory>;

void use(const Kokkos::DefaultHostExecutionSpace& exec, GatherPlan& plan, MigrationPlan& migration,
         const DistView<double*, Kokkos::HostSpace>& u,
         const Kokkos::View<double*, Kokkos::HostSpace>& values,
         const std::vector<double>& numbers, const Elements<std::int32_t>& words,
         const Elements<std::complex<float>>& complex, const Elements<std::int16_t>& shorts,
         const Elements<std::int16_t, Kokkos::HostSpace>& shorts_on_host) {
    static_cast<void>(numbers);
    static_cast<void>(shorts);
    static_cast<void>(migration);
#if DISTVIEW_CASE == 0
    plan.execute(exec, u, values);
    plan.read(exec, u, values);
    plan.combine(exec, Sum{}, std::tie(values, values), std::tie(u, u));
    migration.execute(exec, values, values);
    words.add(1, 0);
    complex.add(1, 0);
    shorts_on_host.add(1, 0);
#elif DISTVIEW_CASE == 1 // expected: no matching (member )?function
    // names: ValueLists
    plan.execute(exec, u, numbers);
#elif DISTVIEW_CASE == 2 // expected: no matching (member )?function
    // names: DistViews
    plan.execute(exec, values, values);
#elif DISTVIEW_CASE == 3 // expected: no matching (member )?function
    // names: ValueLists
    migration.execute(exec, numbers, values);
#elif DISTVIEW_CASE == 4 // expected: no matching function
    // names: DistViews
    distview::get_elements(exec, plan.communicator(), values, distview::IndexList({1}));
#elif DISTVIEW_CASE == 5 // expected: needs a number of at least 4 bytes
    shorts.add(1, 0);
#elif DISTVIEW_CASE == 6 // expected: values are written, but they are const
    plan.read(exec, u, Kokkos::View<const double*, Kokkos::HostSpace>(values));
#endif
}
