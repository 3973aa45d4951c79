// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/inspected_loop.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/migration_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

template <class T>
using DeviceList = Kokkos::View<T*, Kokkos::CudaSpace>;

/// A trivially copyable element type.
struct Velocity {
    float x, y, z;
};

/// A function object that a program might pass.
struct Nearer {
    template <class T>
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        return Kokkos::abs(incoming) < Kokkos::abs(here) ? incoming : here;
    }
};

/// Reads elements of other processes.
struct Difference {
    std::int64_t count;

    template <class Elements>
    KOKKOS_FUNCTION auto operator()(const Elements& u, std::int64_t i, std::int64_t j,
                                    std::int64_t k) const {
        return u((i + 8) % count, j, k) - u(i, j, k);
    }
};

/// Loads, stores and additions in a kernel.
template <class A>
void use_access(const Cuda& exec, const Communicator& comm, const A& a) {
    using T = typename A::value_type;
    GlobalAccess access(exec, comm, a);
    const auto at = access.elements();
    const int process = comm.rank();
    Kokkos::parallel_for(
        "distview::testing::use_access", Kokkos::RangePolicy<Cuda>(exec, 0, 6),
        KOKKOS_LAMBDA(int j) {
            const std::int64_t i = 8 * static_cast<std::int64_t>(process);
            if (!at.reaches(i, j, 0)) return;
            at.store(at(i, j, 1) + at(i, j, 2), i, j, 0);
            at.add(T(1), 0, j, 3);
        });
    access.fence(exec);
}

template <class A>
void use_loop(const Cuda& exec, const Communicator& comm, const A& from, const A& to) {
    const std::int64_t count = from.layout().axis(0).size();
    InspectedLoop everywhere(exec, comm, from, to, Difference{count});
    everywhere.execute(exec);
    InspectedLoop some(exec, comm, from, to, Difference{count}, {{0, count}, {1, 5}, {0, 5}});
    some.execute(exec);
}

} // namespace

void use_elements_by_index(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto u = make_dist_view<double***>(exec, "u", comm, layout);
    const auto v =
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "v", comm, layout);
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
    plan.start(exec, u, x).finish();
    plan.start_combine(exec, Nearer{}, x, u).finish();
    plan.start_combine(exec, Minimum{}, std::tie(x, y), std::tie(u, v)).finish();
    plan.read(exec, u, x);
    plan.read(exec, std::tie(u, v), std::tie(x, y));

    const AnyDistView any = u;
    const std::span<double> numbers(x.data(), size);
    plan.bind(exec, any);
    plan.execute(exec, any, std::as_writable_bytes(numbers));
    plan.start(exec, any, std::as_writable_bytes(numbers)).finish();
    plan.combine_as<double>(exec, Sum{}, std::span<const double>(numbers), any);
    plan.start_combine_as<double>(exec, Nearer{}, std::span<const double>(numbers), any).finish();
    plan.put(exec, std::as_bytes(numbers), any);
    plan.read(exec, any, std::as_writable_bytes(numbers));

    const auto got = get_elements(exec, comm, u, list);
    put_elements(exec, comm, u, list, got);
    accumulate_elements(exec, comm, Maximum{}, u, list, got);
    const auto [got_u, got_v] = get_elements(exec, comm, std::tie(u, v), list);
    put_elements(exec, comm, std::tie(u, v), list, std::tie(got_u, got_v));
    accumulate_elements(exec, comm, Sum{}, std::tie(u, v), list, std::tie(got_u, got_v));

    const std::vector<std::int64_t> owned{comm.rank()}, needed{(comm.rank() + 1) % comm.size()};
    const GhostedLayout ghosted = make_ghosted_layout(comm, owned, needed);
    const auto w = make_dist_view<double*>(exec, "w", comm, ghosted.layout);
    GhostExchangePlan ghosts(comm, ghosted);
    ghosts.execute(exec, w);
    ghosts.combine(exec, Sum{}, w);
    const auto w2 = make_dist_view<std::int32_t*>(exec, "w2", comm, ghosted.layout);
    ghosts.bind(exec, w, w2);
    ghosts.start(exec, w, w2).finish();
    ghosts.start_combine(exec, Nearer{}, w, w2).finish();
    const AnyDistView any_w = w;
    ghosts.bind(exec, any_w);
    ghosts.execute(exec, any_w);
    ghosts.start(exec, any_w).finish();
    ghosts.combine_as<double>(exec, Sum{}, any_w);
    ghosts.start_combine_as<double>(exec, Nearer{}, any_w).finish();

    const std::vector<int> targets(size, (comm.rank() + 1) % comm.size());
    MigrationPlan migration(comm, targets);
    const DeviceList<Velocity> velocity("velocity", size);
    const auto [x2, velocity2] = migration.moved(exec, x, velocity);
    migration.execute(exec, std::tie(y, velocity),
                      std::tuple(DeviceList<float>("y2", size), velocity2));
    migration.start(exec, got, x2).finish();

    use_access(exec, comm, u);
    use_access(exec, comm, v);
    use_access(exec, comm, make_dist_view<std::int64_t***>(exec, "i", comm, layout));
    use_access(exec, comm, make_dist_view<Kokkos::complex<double>***>(exec, "z", comm, layout));
    use_loop(exec, comm, u, make_dist_view<double***>(exec, "du", comm, layout));
    use_loop(
        exec, comm, v,
        make_dist_view<float***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(exec, "dv", comm, layout));
}

} // namespace distview::testing
