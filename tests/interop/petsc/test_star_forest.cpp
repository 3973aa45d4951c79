// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PetscSF communicates like the library's plans, and can be converted back to a plan.
#include "../random_graph.hpp"
#include "stencil_problem.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace distview::testing {

namespace {

using Values = DistView<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;

void broadcast(const Communicator& comm, PetscSF forest, const double* roots, double* leaves) {
    petsc::checked(comm, "broadcast", [&]() -> int {
        PetscCall(PetscSFBcastBegin(forest, MPI_DOUBLE, roots, leaves, MPI_REPLACE));
        PetscCall(PetscSFBcastEnd(forest, MPI_DOUBLE, roots, leaves, MPI_REPLACE));
        return PETSC_SUCCESS;
    });
}
void add_up(const Communicator& comm, PetscSF forest, const double* leaves, double* roots) {
    petsc::checked(comm, "add up", [&]() -> int {
        PetscCall(PetscSFReduceBegin(forest, MPI_DOUBLE, leaves, roots, MPI_SUM));
        PetscCall(PetscSFReduceEnd(forest, MPI_DOUBLE, leaves, roots, MPI_SUM));
        return PETSC_SUCCESS;
    });
}

/// Elements of the section, ghosts as well.
template <class Array>
void fill_section(const Array& array, const std::function<double(std::size_t)>& value) {
    for (std::size_t n = 0; n < array.view().size(); ++n) array.view().data()[n] = value(n);
}
template <class Array>
void expect_equal(const Array& a, const Array& b) {
    for (std::size_t n = 0; n < a.view().size(); ++n)
        EXPECT_EQ(a.view().data()[n], b.view().data()[n]) << n;
}

} // namespace

TEST(PetscStarForest, BringsWhatTheGhostPlanBrings) {
    const Communicator& comm = comm_with_petsc();
    std::int64_t ghosts_seen = 0;
    for_each_case(40, [&](Random& random, std::uint64_t) {
        const GhostedLayout ghosted = RandomGraph(random, comm.size()).layout(comm);
        GhostExchangePlan plan(comm, ghosted);
        const petsc::StarForest forest = petsc::star_forest(plan);
        const auto make = [&](const char* name) {
            return make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
                Exec(), name, comm, ghosted.layout);
        };
        const Values ours = make("ours"), theirs = make("theirs");
        for (const Values& each : {ours, theirs})
            fill_section(each, [&](std::size_t l) {
                const bool is_own = static_cast<std::int64_t>(l) < ghosted.owned;
                return is_own ? value_of(each.global_index(0, LocalIndex(l)).value()) : -1;
            });
        plan.execute(Exec(), ours);
        broadcast(comm, forest, theirs.view().data(), theirs.view().data());
        for (std::size_t l = 0; l < ours.view().size(); ++l)
            EXPECT_EQ(ours.view()(l), value_of(ours.global_index(0, LocalIndex(l)).value()));
        expect_equal(ours, theirs);

        plan.combine(Exec(), Sum{}, ours);
        add_up(comm, forest, theirs.view().data(), theirs.view().data());
        expect_equal(ours, theirs);
        ghosts_seen += ghosted.ghosts;
    });
    EXPECT_EQ(ghosts_seen > 0, comm.size() > 1);
}

// Several values of an index: the axis of indices is not the fastest one.
TEST(PetscStarForest, OfMoreAxes) {
    const Communicator& comm = comm_with_petsc();
    Random random(11, 0);
    const GhostedLayout ghosted =
        RandomGraph(random, comm.size()).layout(comm, {block(3), block(2)});
    GhostExchangePlan plan(comm, ghosted);
    const petsc::StarForest forest = petsc::star_forest(plan);
    const auto make = [&](const char* name) {
        return make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), name, comm,
                                                                                 ghosted.layout);
    };
    const Field ours = make("ours"), theirs = make("theirs");
    for (const Field& each : {ours, theirs})
        fill_section(
            each, [&](std::size_t n) { return static_cast<double>(n) + 1000 * (comm.rank() + 1); });
    plan.execute(Exec(), ours);
    broadcast(comm, forest, theirs.view().data(), theirs.view().data());
    expect_equal(ours, theirs);
}

TEST(PetscStarForest, BringsWhatTheGatherPlanBrings) {
    const Communicator& comm = comm_with_petsc();
    for_each_case(40, [&](Random& random, std::uint64_t number) {
        const std::int64_t rows = random.integer(1, 30), columns = random.integer(1, 30);
        const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2),
                                 {block(rows, {.padding = 1}), block_cyclic(columns, 2)});
        IndexList list(2);
        Random own(number, static_cast<std::uint64_t>(comm.rank()) + 1);
        for (std::int64_t count = own.integer(0, 50); count > 0; --count)
            list.add_element({own.integer(0, rows), own.integer(0, columns)});
        GatherPlan plan(comm, layout, list);
        const petsc::StarForest forest = petsc::star_forest(plan);
        const auto u = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "u", comm, layout);
        fill_with(Exec(), u, [](GlobalIndex i, GlobalIndex j) {
            return value_of(i.value() * 100 + j.value());
        });
        const Kokkos::View<double*, Kokkos::HostSpace> ours("ours",
                                                            static_cast<std::size_t>(plan.size()));
        std::vector<double> theirs(ours.size(), -1);
        plan.execute(Exec(), u, ours);
        broadcast(comm, forest, u.view().data(), theirs.data());
        EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), ours.data()));

        const auto v = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "v", comm, layout);
        Kokkos::deep_copy(Exec(), v.view(), u.view());
        Exec().fence("v is u");
        plan.combine(Exec(), Sum{}, ours, u);
        add_up(comm, forest, theirs.data(), v.view().data());
        expect_equal(u, v); // including padding, which no call writes
    });
}

/// A named PetscSFNode: nvcc 13 fails on a vector of PETSc's struct, which has no name.
struct Origin : PetscSFNode {};

// A forest made by PETSc or the program: each leaf's root is at the place that the layout states.
TEST(PetscStarForest, MakesAGhostPlan) {
    const Communicator& comm = comm_with_petsc();
    for_each_case(40, [&](Random& random, std::uint64_t number) {
        std::vector<std::int64_t> roots(static_cast<std::size_t>(comm.size()));
        for (std::int64_t& each : roots) each = random.integer(1, 20);
        const auto mine = roots[static_cast<std::size_t>(comm.rank())];
        Random own(number, static_cast<std::uint64_t>(comm.rank()) + 1);
        std::vector<Origin> origins(static_cast<std::size_t>(own.integer(0, 30)));
        std::vector<PetscInt> places;
        for (Origin& each : origins) {
            each.rank = static_cast<PetscInt>(own.integer(0, comm.size()));
            each.index =
                static_cast<PetscInt>(own.integer(0, roots[static_cast<std::size_t>(each.rank)]));
            places.push_back(static_cast<PetscInt>(2 * places.size() + 1)); // with gaps
        }
        const petsc::StarForest forest = [&] {
            PetscSF made = nullptr;
            petsc::checked(comm, "make", [&]() -> int {
                PetscCall(PetscSFCreate(comm.mpi(), &made));
                PetscCall(PetscSFSetGraph(made, static_cast<PetscInt>(mine),
                                          static_cast<PetscInt>(origins.size()), places.data(),
                                          PETSC_COPY_VALUES, origins.data(), PETSC_COPY_VALUES));
                return PETSC_SUCCESS;
            });
            return petsc::StarForest(made);
        }();
        const GhostedLayout ghosted = petsc::ghosted_layout(comm, forest);
        EXPECT_EQ(ghosted.owned, mine);
        ASSERT_ON_ALL_RANKS(ghosted.positions.size() == origins.size());
        GhostExchangePlan plan(comm, ghosted);
        const auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "u", comm, ghosted.layout);
        for (std::int64_t n = 0; n < mine; ++n)
            u.view()(n) = static_cast<double>(1000 * comm.rank() + n);
        std::vector<double> theirs(2 * origins.size() + 1, -1);
        broadcast(comm, forest, u.view().data(), theirs.data());
        plan.execute(Exec(), u);
        for (std::size_t k = 0; k < origins.size(); ++k) {
            EXPECT_EQ(u.view()(ghosted.positions[k]), theirs[static_cast<std::size_t>(places[k])]);
            EXPECT_EQ(theirs[static_cast<std::size_t>(places[k])],
                      1000.0 * static_cast<double>(origins[k].rank) +
                          static_cast<double>(origins[k].index));
        }
    });
}

TEST(PetscStarForest, WrongUse) {
    const Communicator& comm = comm_with_petsc();
    GatherPlan plan(comm,
                    ArrayLayout(ProcessGrid{comm.size(), 1, 1, 1, 1},
                                {block(12), block(1), block(1), block(1), block(1)}),
                    IndexList(5));
    EXPECT_THROW_ON_ALL_RANKS(petsc::star_forest(plan), UsageError,
                              "petsc::star_forest: expected a layout of up to 4 axes, got 5");
    const petsc::StarForest bare = [&] {
        PetscSF made = nullptr;
        petsc::checked(comm, "make", [&]() -> int {
            PetscCall(PetscSFCreate(comm.mpi(), &made));
            return PETSC_SUCCESS;
        });
        return petsc::StarForest(made);
    }();
    EXPECT_THROW_ON_ALL_RANKS(petsc::ghosted_layout(comm, bare), UsageError,
                              "petsc::ghosted_layout: expected a PetscSF with a graph");
    if (comm.size() == 1) return;
    const Communicator alone(MPI_COMM_SELF);
    EXPECT_THROW_ON_ALL_RANKS(petsc::ghosted_layout(alone, bare), UsageError,
                              "petsc::ghosted_layout: expected an object over the communicator's 1 "
                              "ranks");
}

} // namespace distview::testing
