// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a device, operations by index and along axes give the same numbers as on the host. Needs a GPU, which the ranks
// share.
#include "instantiations.hpp"

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/histogram.hpp>
#include <distview/algorithms/inspected_loop.hpp>
#include <distview/algorithms/random.hpp>
#include <distview/algorithms/scan.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/migration_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Numbers = std::vector<double>;

/// Values that identify the cell, and whose sums are exact in any order.
struct CellNumber {
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        return static_cast<double>((i.value() * 389 + j.value() * 41 + k.value() * 7) % 1009 - 500);
    }
};

/// Values whose plain sums depend on the order of additions.
struct ThirdOfCellNumber {
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        return CellNumber()(i, j, k) / 3;
    }
};

struct Difference {
    std::int64_t count;

    template <class Elements>
    KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t i, std::int64_t j,
                                      std::int64_t k) const {
        return u((i + 3) % count, j, k) - u(i, j, k);
    }
};

struct Doubling {
    template <class Part>
    void operator()(const Part& part) const {
        const auto view = part.view();
        auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
        for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] *= 2;
        Kokkos::deep_copy(view, host);
    }
};

/// The same calls on any execution space, and their numerical results on this rank.
template <class Exec>
class Calls {
public:
    explicit Calls(const Communicator& communicator) : comm(communicator) {}

    Numbers by_index_list() {
        const auto u = numbered();
        IndexList list(3);
        list.add_box({{0, 8 * comm.size()}, {0, 6, 2}, {1, 5}});
        list.add_box({{comm.rank(), comm.rank() + 2}, {0, 6}, {0, 5, 2}});
        const List<double> x("x", static_cast<std::size_t>(list.size()));
        GatherPlan plan(comm, u.layout(), list);
        plan.execute(exec, u, x);
        add(x);
        plan.combine(exec, Sum{}, x, u);
        add_array(u);
        plan.combine(exec, Maximum{}, x, u);
        plan.start(exec, u, x).finish();
        add(x);
        accumulate_elements(exec, comm, Sum{}, u, list, get_elements(exec, comm, u, list));
        add_array(u);
        return numbers;
    }

    Numbers ghosts() {
        const int next = (comm.rank() + 1) % comm.size();
        std::vector<std::int64_t> owned, needed;
        for (std::int64_t i = 0; i < 100; ++i) owned.push_back(100 * comm.rank() + 99 - i);
        for (std::int64_t i = 0; i < 100; i += 3) needed.push_back(100 * next + i);
        if (next == comm.rank()) needed.clear(); // no process has ghosts
        const GhostedLayout ghosted = make_ghosted_layout(comm, owned, needed);
        const auto w = make_dist_view<double*, Memory>(exec, "w", comm, ghosted.layout);
        const auto view = w.view();
        const double salt = 1000.0 * comm.rank();
        Kokkos::parallel_for(
            "distview::testing::ghosts", Kokkos::RangePolicy<Exec>(exec, 0, view.extent_int(0)),
            KOKKOS_LAMBDA(int i) { view(i) = salt + i; });
        GhostExchangePlan plan(comm, ghosted);
        plan.execute(exec, w);
        add(view);
        plan.combine(exec, Sum{}, w);
        add(view);
        return numbers;
    }

    Numbers migration() {
        const std::size_t count = 500 + 10 * static_cast<std::size_t>(comm.rank());
        std::vector<int> targets(count);
        for (std::size_t i = 0; i < count; ++i)
            targets[i] = static_cast<int>(i * 7 % static_cast<std::size_t>(comm.size()));
        const List<double> x("x", count);
        const int rank = comm.rank();
        Kokkos::parallel_for(
            "distview::testing::migration", Kokkos::RangePolicy<Exec>(exec, 0, count),
            KOKKOS_LAMBDA(std::size_t i) { x(i) = 10000.0 * rank + static_cast<double>(i); });
        MigrationPlan plan(comm, targets);
        add(std::get<0>(plan.moved(exec, x)));
        return numbers;
    }

    Numbers global_access() {
        const auto u = numbered();
        const std::int64_t count = u.layout().axis(0).size();
        GlobalAccess access(exec, comm, u);
        const auto at = access.elements();
        const List<double> loaded("loaded", static_cast<std::size_t>(count));
        Kokkos::parallel_for(
            "distview::testing::loads", Kokkos::RangePolicy<Exec>(exec, 0, count),
            KOKKOS_LAMBDA(std::int64_t i) { loaded(i) = at(count - 1 - i, i % 6, 2); });
        access.fence(exec);
        add(loaded);
        const int rank = comm.rank();
        Kokkos::parallel_for(
            "distview::testing::additions", Kokkos::RangePolicy<Exec>(exec, 0, 1000),
            KOKKOS_LAMBDA(std::int64_t i) { at.add(1.0, i % count, 3, 4); });
        access.fence(exec);
        Kokkos::parallel_for(
            "distview::testing::stores", Kokkos::RangePolicy<Exec>(exec, 0, 8),
            KOKKOS_LAMBDA(std::int64_t i) {
                at.store(static_cast<double>(i), (8 * (rank + 1) + i) % count, 1, 1);
            });
        access.fence(exec);
        add_array(u);
        return numbers;
    }

    Numbers inspected_loop() {
        const auto u = numbered();
        const auto v = array();
        fill(exec, v, -1.0);
        InspectedLoop loop(exec, comm, u, v, Difference{u.layout().axis(0).size()});
        loop.execute(exec);
        add_array(v);
        return numbers;
    }

    Numbers along_axes() {
        const auto u = numbered();
        const auto inexact = array();
        fill_with(exec, inexact, ThirdOfCellNumber());
        for (const int axis : {0, 1, 2}) {
            const ArrayLayout reduced = reduced_layout(u.layout(), axis, AxisResult::everywhere);
            const auto small = make_dist_view<double***, Memory>(exec, "small", comm, reduced);
            axis_reduce(exec, comm, Sum{}, u, axis, small);
            add_array(small);
            axis_reduce(exec, comm, Maximum{}, u, axis, small);
            add_array(small);
            axis_reduce(exec, comm, Sum{}, inexact, axis, small, {.reproducible = true});
            add_array(small);
            const auto v = array();
            inclusive_scan(exec, comm, u, axis, v);
            add_array(v);
            exclusive_scan(exec, comm, u, axis, v, 0.0);
            add_array(v);
        }
        for (const std::int64_t each : histogram(exec, comm, u, 10, -500.0, 510.0))
            numbers.push_back(static_cast<double>(each));
        return numbers;
    }

    Numbers random_and_sorted() {
        const ArrayLayout spread(ProcessGrid{comm.size()}, {block_cyclic(6400, 3)});
        const auto x = make_dist_view<double*, Memory>(exec, "x", comm, spread);
        fill_random(exec, x, {.seed = 42});
        add_array(x);
        sort(exec, comm, x);
        add_array(x);
        sort(exec, comm, x, Descending());
        add_array(x);
        return numbers;
    }

    Numbers local_copies() {
        const auto u = numbered();
        with_local_copy(exec, u, Intent::inout, MemoryOrder::column_major, Doubling());
        // Elements of the next rank, if there are several ranks.
        const std::int64_t begin = 8 * ((comm.rank() + 1) % comm.size()) + 5;
        const GlobalRange mine{GlobalIndex(begin), GlobalIndex(begin + 3)};
        const GlobalRange all{GlobalIndex(0), GlobalIndex(5)};
        with_local_copy(exec, comm, u, Intent::inout, MemoryOrder::row_major, {mine, all, all},
                        Doubling());
        add_array(u);
        return numbers;
    }

private:
    using Memory = typename Exec::memory_space;
    template <class T>
    using List = Kokkos::View<T*, Memory>;

    auto array() const {
        return make_dist_view<double***, Memory>(exec, "u", comm, some_layout(comm.size()));
    }
    auto numbered() const {
        const auto u = array();
        fill_with(exec, u, CellNumber());
        return u;
    }
    template <class View>
    void add(const View& list) {
        exec.fence("distview::testing: the list is filled");
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
        for (std::size_t i = 0; i < host.extent(0); ++i) numbers.push_back(host(i));
    }
    template <class Array>
    void add_array(const Array& a) {
        const auto all = gather(exec, comm, a, 0);
        numbers.insert(numbers.end(), all.data(), all.data() + all.size());
    }

    const Communicator comm;
    const Exec exec{};
    Numbers numbers;
};

#define EXPECT_AS_ON_THE_HOST(calls)                                                               \
    const Communicator comm(MPI_COMM_WORLD);                                                       \
    const Numbers expected = Calls<Host>(comm).calls();                                            \
    EXPECT_FALSE(comm.rank() == 0 && expected.empty());                                            \
    EXPECT_EQ(Calls<Cuda>(comm).calls(), expected)

TEST(DeviceElements, GatherAndCombineByIndexList) { EXPECT_AS_ON_THE_HOST(by_index_list); }
TEST(DeviceElements, FillGhosts) { EXPECT_AS_ON_THE_HOST(ghosts); }
TEST(DeviceElements, Migrate) { EXPECT_AS_ON_THE_HOST(migration); }
TEST(DeviceElements, AreReachedByGlobalIndex) { EXPECT_AS_ON_THE_HOST(global_access); }
TEST(DeviceElements, AreFetchedForInspectedLoops) { EXPECT_AS_ON_THE_HOST(inspected_loop); }
TEST(DeviceElements, AreReducedAndScannedAlongAxes) { EXPECT_AS_ON_THE_HOST(along_axes); }
TEST(DeviceElements, AreRandomAndSorted) { EXPECT_AS_ON_THE_HOST(random_and_sorted); }
TEST(DeviceElements, AreChangedThroughLocalCopies) { EXPECT_AS_ON_THE_HOST(local_copies); }

} // namespace

} // namespace distview::testing
