// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting and stopping hypre in any order relative to the program and to remaining vectors.
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace distview::testing {

namespace {

const Communicator& world() {
    static const Communicator comm(MPI_COMM_WORLD);
    return comm;
}

TEST(HypreSession, WhatNeedsHypreSaysSoBeforeIt) {
    EXPECT_FALSE(hypre::is_running());
    const RowNumbering rows(world(), {ProcessGrid{rank_count()}, {block(20)}});
    const auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "u", world(), rows.layout());
    EXPECT_THROW_ON_ALL_RANKS(hypre::vector(rows, u), UsageError,
                              "hypre::vector: expected hypre to be initialised");
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_grid(rows), UsageError, "make a hypre::Session first");
}

TEST(HypreSession, OuterOneStartsAndStops) {
    {
        const hypre::Session outer(world());
        EXPECT_TRUE(hypre::is_running());
        {
            const hypre::Session inner(world());
        }
        EXPECT_TRUE(hypre::is_running());
    }
    EXPECT_FALSE(hypre::is_running());
    {
        const hypre::Session again(world());
    }
    EXPECT_FALSE(hypre::is_running());
}

TEST(HypreSession, LeavesAloneWhatTheProgramStarted) {
    HYPRE_Initialize();
    {
        const hypre::Session session(world());
    }
    EXPECT_TRUE(hypre::is_running());
    HYPRE_Finalize();
}

TEST(HypreSession, StartedOnSomeRanksOnlyIsAnError) {
    if (rank_count() == 1) GTEST_SKIP();
    if (rank() == 0) HYPRE_Initialize();
    EXPECT_THROW_ON_ALL_RANKS(const hypre::Session session(world()), UsageError,
                              "all ranks or on none, got it initialised on some");
    if (rank() == 0) HYPRE_Finalize();
}

TEST(HypreSession, ErrorsAreOursAndCleared) {
    const hypre::Session session(world());
    // An error on one rank only, inside and outside of checked().
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::checked(world(), "here",
                       [] { return rank() == 0 ? HYPRE_IJVectorAssemble(nullptr) : 0; }),
        SolverError, "here: hypre reports: [Error in argument 1]");
    EXPECT_EQ(HYPRE_GetError(), 0);
    HYPRE_IJVectorAssemble(nullptr);
    EXPECT_NO_THROW(hypre::checked(world(), "here", [] { return HYPRE_GetError(); }));
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::checked(world(), "here", []() -> int { throw LayoutError("my own"); }), LayoutError,
        "my own");
}

TEST(HypreSession, VectorsAndMatricesMayOutliveIt) {
    auto session = std::make_unique<hypre::Session>(world());
    const System system(world(), various_equations()[0], 1);
    const auto b = system.make("b"), u = system.make("u");
    const hypre::Vector right = hypre::vector(system.rows, b), x = hypre::vector(system.rows, u);
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::StructGrid grid = hypre::struct_grid(system.rows);
    session.reset();
    EXPECT_FALSE(hypre::is_running());
    EXPECT_THROW_ON_ALL_RANKS(x.put(), UsageError,
                              "hypre::Vector::put: expected hypre to be initialised");
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(world(), a, right, x), UsageError,
                              "expected hypre to be initialised");
}

TEST(HypreSession, MayLiveInMpiFinalize) {
    static std::optional<hypre::Session> late;
    late.emplace(world());
    EXPECT_TRUE(hypre::is_running());
}

} // namespace

} // namespace distview::testing
