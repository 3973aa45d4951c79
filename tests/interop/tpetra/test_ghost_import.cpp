// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tpetra::Import brings what our ghost plan brings.
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/tpetra.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Indices = std::vector<std::int64_t>;

double value_of(std::int64_t index) { return static_cast<double>(index * 3 + 1); }

TEST(GhostImport, BringsTheSameValues) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    std::int64_t ghosts_seen = 0;
    for_each_case(60, [&](Random& random, std::uint64_t) {
        std::set<std::int64_t> different;
        for (std::int64_t count = random.integer(1, 120); count > 0; --count)
            different.insert(random.integer(0, 100000));
        Indices all(different.begin(), different.end());
        random.shuffle(all);
        std::vector<Indices> owned(static_cast<std::size_t>(comm.size())), needed(owned);
        for (const std::int64_t index : all)
            owned[static_cast<std::size_t>(random.integer(0, comm.size()))].push_back(index);
        for (Indices& each : needed)
            for (std::int64_t count = random.chance(0.2) ? 0 : random.integer(0, 60); count > 0;
                 --count)
                each.push_back(random.pick(all));
        const auto me = static_cast<std::size_t>(comm.rank());
        const GhostedLayout ghosted = make_ghosted_layout(comm, owned[me], needed[me]);
        GhostExchangePlan plan(comm, ghosted);
        const auto make = [&](const char* name) {
            return make_dist_view<double*, Exec::memory_space>(exec, comm, ghosted.layout, name);
        };
        const auto ours = make("ours"), theirs = make("theirs"), from = make("from");
        for (std::size_t l = 0; l < owned[me].size(); ++l)
            ours.view()(l) = from.view()(l) = value_of(owned[me][l]);
        Kokkos::deep_copy(theirs.view(), -1);
        plan.execute(exec, ours);

        const tpetra::GhostImport import(plan);
        import.execute(tpetra::MultiVector(import.source(), from),
                       tpetra::MultiVector(import.target(), theirs, tpetra::Rows::with_ghosts));
        for (std::size_t l = 0; l < ours.view().extent(0); ++l) {
            EXPECT_EQ(theirs.view()(l), ours.view()(l));
            EXPECT_EQ(theirs.view()(l), value_of(ours.global_index(0, LocalIndex(l)).value()));
        }
        ghosts_seen += ghosted.ghosts;
    });
    EXPECT_EQ(ghosts_seen > 0, comm.size() > 1);
}

TEST(GhostImport, WrongUse) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t here = comm.rank(), next = (comm.rank() + 1) % comm.size();
    const GhostedLayout ghosted = make_ghosted_layout(comm, {here}, {next});
    const GhostExchangePlan plan(comm, ghosted);
    EXPECT_THROW_ON_ALL_RANKS(tpetra::GhostImport(plan, 1), UsageError,
                              "tpetra::GhostImport: expected an unstructured axis, got axis 1");
    const auto u = make_dist_view<double*, Exec::memory_space>(exec, comm, ghosted.layout, "u");
    const tpetra::GhostImport import(plan);
    const tpetra::MultiVector owned(import.source(), u),
        all(import.target(), u, tpetra::Rows::with_ghosts);
    EXPECT_THROW_ON_ALL_RANKS(import.execute(all, owned), UsageError,
                              "tpetra::GhostImport::execute: expected vectors of the maps source() "
                              "and target(), got one of another map");
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            tpetra::MultiVector(import.target(), u), ShapeError,
            "tpetra::MultiVector: expected 2 elements of 'u' on this process");
    }
}

} // namespace

} // namespace distview::testing
