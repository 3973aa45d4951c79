// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tpetra::Import brings the same values as a ghost plan, Tpetra::Export adds the same as combine(); both give plans.
#include "../random_graph.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// A ghosted layout, its plan and its vectors.
struct Exchanged {
    using Vector = DistView<double*, Exec::memory_space>;

    Exchanged(const Communicator& over, const GhostedLayout& of) : comm(over), ghosted(of) {}

    Vector make(const char* name) const {
        return make_dist_view<double*, Exec::memory_space>(exec, name, comm, ghosted.layout);
    }
    /// Owned elements are value_of() their index; all ghosts are `ghosts`.
    Vector make_filled(const char* name, double ghosts) const {
        const Vector vector = make(name);
        for (std::size_t l = 0; l < vector.view().extent(0); ++l)
            vector.view()(l) = static_cast<std::int64_t>(l) < ghosted.owned
                                   ? value_of(vector.global_index(0, LocalIndex(l)).value())
                                   : ghosts;
        return vector;
    }

    Exec exec;
    Communicator comm;
    GhostedLayout ghosted;
    GhostExchangePlan plan{comm, ghosted};
};

TEST(GhostImport, BringsTheSameValues) {
    const Communicator comm(MPI_COMM_WORLD);
    std::int64_t ghosts_seen = 0;
    for_each_case(60, [&](Random& random, std::uint64_t) {
        Exchanged all(comm, RandomGraph(random, comm.size()).layout(comm));
        const auto ours = all.make_filled("ours", -2), from = all.make_filled("from", -3),
                   theirs = all.make_filled("theirs", -1);
        Kokkos::deep_copy(theirs.view(), -1);
        all.plan.execute(all.exec, ours);

        const tpetra::GhostImport import(all.plan);
        import.execute(tpetra::MultiVector(import.source(), from),
                       tpetra::MultiVector(import.target(), theirs, tpetra::Rows::with_ghosts));
        for (std::size_t l = 0; l < ours.view().extent(0); ++l) {
            EXPECT_EQ(theirs.view()(l), ours.view()(l));
            EXPECT_EQ(theirs.view()(l), value_of(ours.global_index(0, LocalIndex(l)).value()));
        }
        ghosts_seen += all.ghosted.ghosts;
    });
    EXPECT_EQ(ghosts_seen > 0, comm.size() > 1);
}

TEST(GhostExport, AddsTheSameValues) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        Exchanged all(comm, RandomGraph(random, comm.size()).layout(comm));
        const double ghosts = 1 + comm.rank();
        const auto ours = all.make_filled("ours", ghosts), from = all.make_filled("from", ghosts),
                   theirs = all.make_filled("theirs", -3);
        all.plan.combine(all.exec, Sum{}, ours);
        const tpetra::GhostExport back(all.plan);
        back.execute(tpetra::MultiVector(back.source(), from, tpetra::Rows::with_ghosts),
                     tpetra::MultiVector(back.target(), theirs));
        for (std::int64_t l = 0; l < all.ghosted.owned; ++l)
            EXPECT_EQ(theirs.view()(l), ours.view()(l));
        // In place, like combine().
        back.execute(tpetra::MultiVector(back.source(), from, tpetra::Rows::with_ghosts),
                     tpetra::MultiVector(back.target(), from));
        for (std::size_t l = 0; l < ours.view().extent(0); ++l)
            EXPECT_EQ(from.view()(l), ours.view()(l));
    });
}

// An Import and an Export from Tpetra's own calls, not from a plan.
TEST(GhostImport, MakesAGhostPlan) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(40, [&](Random& random, std::uint64_t) {
        const RandomGraph graph(random, comm.size());
        const auto me = static_cast<std::size_t>(comm.rank());
        std::vector<std::int64_t> wanted; // a map has no row twice
        for (const std::int64_t index : graph.needed[me])
            if (std::find(wanted.begin(), wanted.end(), index) == wanted.end())
                wanted.push_back(index);
        const auto owned = tpetra::rcp(tpetra::Map(comm, graph.owned[me])),
                   target = tpetra::rcp(tpetra::Map(comm, wanted));
        const Tpetra::Import<> import(owned, target);
        const Tpetra::Export<> exporter(target, owned);
        Tpetra::Vector<double> x(owned), y(target), z(owned);
        for (std::size_t l = 0; l < graph.owned[me].size(); ++l)
            x.replaceLocalValue(static_cast<int>(l), value_of(graph.owned[me][l]));
        y.doImport(x, import, Tpetra::INSERT);
        z.doExport(y, exporter, Tpetra::ADD);

        Exchanged all(comm, tpetra::ghosted_layout(comm, import)),
            reverse(comm, tpetra::ghosted_layout(comm, exporter));
        EXPECT_EQ(all.ghosted.layout, reverse.ghosted.layout);
        ASSERT_ON_ALL_RANKS(all.ghosted.positions.size() == wanted.size());
        const auto u = all.make_filled("u", -1), v = reverse.make("v");
        all.plan.execute(all.exec, u);
        const auto from = y.getLocalViewHost(Tpetra::Access::ReadOnly);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            EXPECT_EQ(u.view()(all.ghosted.positions[k]), from(k, 0));
            v.view()(reverse.ghosted.positions[k]) = from(k, 0);
        }
        reverse.plan.combine(all.exec, Sum{}, v);
        const auto sums = z.getLocalViewHost(Tpetra::Access::ReadOnly);
        for (std::size_t l = 0; l < graph.owned[me].size(); ++l) EXPECT_EQ(v.view()(l), sums(l, 0));
    });
}

TEST(GhostImport, WrongUse) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t here = comm.rank(), next = (comm.rank() + 1) % comm.size();
    const GhostedLayout ghosted = make_ghosted_layout(comm, {here}, {next});
    const GhostExchangePlan plan(comm, ghosted);
    EXPECT_THROW_ON_ALL_RANKS(tpetra::GhostImport(plan, 1), UsageError,
                              "tpetra::GhostImport: expected an unstructured axis, got axis 1");
    const auto u = make_dist_view<double*, Exec::memory_space>(exec, "u", comm, ghosted.layout);
    const tpetra::GhostImport import(plan);
    const tpetra::MultiVector owned(import.source(), u),
        all(import.target(), u, tpetra::Rows::with_ghosts);
    EXPECT_THROW_ON_ALL_RANKS(tpetra::GhostExport(plan, 1), UsageError,
                              "tpetra::GhostExport: expected an unstructured axis, got axis 1");
    const tpetra::GhostExport back(plan);
    EXPECT_THROW_ON_ALL_RANKS(
        back.execute(owned, all), UsageError,
        "tpetra::GhostExport::execute: expected vectors with the maps source() "
        "and target(), got a first vector with another map");
    EXPECT_THROW_ON_ALL_RANKS(
        import.execute(owned, owned), UsageError,
        "tpetra::GhostImport::execute: expected vectors with the maps source() "
        "and target(), got a second vector with another map");
    EXPECT_THROW_ON_ALL_RANKS(
        import.execute(all, owned), UsageError,
        "tpetra::GhostImport::execute: expected vectors with the maps source() "
        "and target(), got a first vector with another map");
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            tpetra::MultiVector(import.target(), u), ShapeError,
            "tpetra::MultiVector: expected 2 elements of 'u' on this process");
    }
}

} // namespace

} // namespace distview::testing
