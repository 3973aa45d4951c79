// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/comm/elements.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/migration_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

template <class T>
using DeviceList = Kokkos::View<T*, Kokkos::CudaSpace>;

/// Any trivially copyable element.
struct Velocity {
    float x, y, z;
};

} // namespace

void use_elements_by_index(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto u = make_dist_view<double***>(exec, comm, layout, "u");
    const auto v =
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, comm, layout, "v");
    IndexList list(3);
    list.add_box({{0, 4}, {0, 6, 2}, {1, 5}});
    const auto size = static_cast<std::size_t>(list.size());
    const DeviceList<double> x("x", size);
    const DeviceList<float> y("y", size);
    GatherPlan plan(comm, layout, list);
    plan.bind(exec, u);
    plan.execute(exec, u, x);
    plan.execute(exec, std::tie(u, v), std::tie(x, y));
    plan.combine(exec, Sum{}, std::tie(x, y), std::tie(u, v));

    const auto got = get_elements(exec, comm, u, list);
    put_elements(exec, comm, u, list, got);
    accumulate_elements(exec, comm, Maximum{}, u, list, got);

    const std::vector<std::int64_t> owned{comm.rank()}, needed{(comm.rank() + 1) % comm.size()};
    const GhostedLayout ghosted = make_ghosted_layout(comm, owned, needed);
    const auto w = make_dist_view<double*>(exec, comm, ghosted.layout, "w");
    GhostExchangePlan ghosts(comm, ghosted);
    ghosts.execute(exec, w);
    ghosts.combine(exec, Sum{}, w);

    const std::vector<int> targets(size, (comm.rank() + 1) % comm.size());
    MigrationPlan migration(comm, targets);
    const DeviceList<Velocity> velocity("velocity", size);
    const auto [x2, velocity2] = migration.moved(exec, x, velocity);
    migration.execute(exec, std::tie(y, velocity),
                      std::tuple(DeviceList<float>("y2", size), velocity2));
    migration.start(exec, got, x2).finish();
}

} // namespace distview::testing
