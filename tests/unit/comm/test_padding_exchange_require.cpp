// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PaddingExchangePlan::require(): exchanges only invalid padding, and makes the same decision on all ranks.
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/mirror.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Plate = DistView<std::int64_t**, Kokkos::HostSpace>;

constexpr std::int64_t mark = -77;

/// A periodic plate in rows, with padding of two cells.
struct Setting {
    Communicator comm{MPI_COMM_WORLD};
    ArrayLayout layout{ProcessGrid{comm.size(), 1},
                       {block(6 * comm.size(), {.padding = 2, .periodic = true}),
                        block(5, {.padding = 2, .periodic = true})}};
    PaddingExchangePlan plan{comm, layout};

    Plate make(const char* label) const {
        auto plate = make_dist_view<std::int64_t**, Kokkos::HostSpace>(Exec(), label, comm, layout);
        Kokkos::deep_copy(plate.view(), mark);
        write(plate, 0);
        plate.mark_written();
        return plate;
    }
    std::int64_t value(std::int64_t i, std::int64_t j, std::int64_t version) const {
        const std::int64_t rows = 6 * comm.size();
        return version * 10000 + (i + rows) % rows * 10 + (j + 5) % 5;
    }
    /// Writes the interior in a way that the library does not notice.
    void write(const Plate& plate, std::int64_t version) const {
        for (int i = 2; i < 8; ++i)
            for (int j = 2; j < 7; ++j)
                plate.view()(i, j) = value(plate.global_index(0, LocalIndex(i)).value(),
                                           plate.global_index(1, LocalIndex(j)).value(), version);
    }
    /// The number of padding cells, up to `depth`, without the values of that version.
    int wrong(const Plate& plate, int depth, std::int64_t version) const {
        int result = 0;
        for (int i = 2 - depth; i < 8 + depth; ++i)
            for (int j = 2 - depth; j < 7 + depth; ++j)
                result += plate.view()(i, j) != value(plate.global_index(0, LocalIndex(i)).value(),
                                                      plate.global_index(1, LocalIndex(j)).value(),
                                                      version);
        return result;
    }
};

TEST(Require, ExchangesWhatIsNotValidAndNothingElse) {
    Setting s;
    for (const TransportChoice choice : possible_transports(s.comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting transport(choice);
        PaddingExchangePlan plan(s.comm, s.layout);
        const Plate u = s.make("u");
        EXPECT_TRUE(plan.require(Exec(), 2, u));
        EXPECT_EQ(s.wrong(u, 2, 0), 0);
        EXPECT_FALSE(plan.require(Exec(), 2, u));
        s.write(u, 1); // not noticed by the library
        EXPECT_FALSE(plan.require(Exec(), 2, u));
        u.mark_written();
        EXPECT_TRUE(plan.require(Exec(), 1, u));
        EXPECT_EQ(s.wrong(u, 2, 1), 0);
        EXPECT_FALSE(plan.require(Exec(), Widths(2, 1), u));
    }
}

TEST(Require, ExchangesOnlyTheFieldsThatAreNotValid) {
    Setting s;
    const Plate u = s.make("u");
    const Plate v = s.make("v");
    EXPECT_TRUE(s.plan.require(Exec(), 2, u, v));
    s.write(u, 1);
    s.write(v, 1);
    v.mark_written();
    EXPECT_TRUE(s.plan.require(Exec(), 2, u, v));
    EXPECT_EQ(s.wrong(v, 2, 1), 0);
    EXPECT_EQ(u.view()(0, 3), s.value(u.global_index(0, LocalIndex(0)).value(), 1, 0));
    EXPECT_FALSE(s.plan.require(Exec(), 2, v, u));
}

TEST(Require, ExchangesAfterACopyOfTheWholeSection) {
    Setting s;
    const Plate u = s.make("u");
    const Plate v = s.make("v");
    s.plan.execute(Exec(), u);
    s.write(v, 1);
    deep_copy(Exec(), u, v); // v's padding was never filled
    EXPECT_TRUE(s.plan.require(Exec(), 1, u));
    EXPECT_EQ(s.wrong(u, 2, 1), 0);
    deep_copy(Exec(), create_mirror_view(u), u); // the mirror is u's own host memory
    EXPECT_FALSE(s.plan.require(Exec(), 1, u));
}

TEST(Require, TakesArraysWhoseTypesAreKnownAtRunTime) {
    Setting s;
    const Plate u = s.make("u");
    const std::vector<AnyDistView> any{u};
    EXPECT_TRUE(s.plan.require(Exec(), 2, std::span(any)));
    EXPECT_FALSE(s.plan.require(Exec(), 2, u));
    EXPECT_EQ(s.wrong(u, 2, 0), 0);
    any.front().mark_written();
    const std::array<const AnyDistView*, 1> apart{&any.front()};
    EXPECT_TRUE(s.plan.require(Exec(), 2, std::span<const AnyDistView* const>(apart)));
}

TEST(Require, KnowsHowDeepOtherPlansHaveFilled) {
    Setting s;
    const Plate u = s.make("u");
    PaddingExchangePlan narrow(s.comm, s.layout, {.widths = std::vector<Widths>{1, 1}});
    narrow.execute(Exec(), u);
    EXPECT_EQ(u.valid_padding().depth(0), Widths(1));
    EXPECT_FALSE(s.plan.require(Exec(), 1, u));
    EXPECT_TRUE(s.plan.require(Exec(), 2, u));
    EXPECT_FALSE(narrow.require(Exec(), 1, u));
    PaddingExchangePlan faces(s.comm, s.layout, {.stencil = Stencil::faces});
    u.mark_written();
    EXPECT_TRUE(faces.require(Exec(), 2, u));
    EXPECT_FALSE(faces.require(Exec(), 2, u));
    EXPECT_TRUE(s.plan.require(Exec(), 2, u)); // needs the corners
    EXPECT_FALSE(faces.require(Exec(), 2, u));
    EXPECT_EQ(s.wrong(u, 2, 0), 0);
}

TEST(Require, ExchangesAllFieldsThatHaveALayoutEach) {
    Setting s;
    PaddingExchangePlan plan(s.comm, {{s.layout}, {s.layout}});
    const Plate u = s.make("u");
    const Plate v = s.make("v");
    EXPECT_TRUE(plan.require(Exec(), 2, u, v));
    s.write(u, 1);
    v.mark_written();
    EXPECT_TRUE(plan.require(Exec(), 2, u, v));
    EXPECT_EQ(s.wrong(u, 2, 1), 0);
    EXPECT_FALSE(plan.require(Exec(), 2, u, v));
}

TEST(Require, IsNeededAfterWhatWritesElements) {
    Setting s;
    const Plate u = s.make("u");
    const Plate v = s.make("v");
    RedistributionPlan to_v(s.comm, s.layout, s.layout);
    const auto expect_written = [&](const char* what, const Plate& array) {
        SCOPED_TRACE(what);
        EXPECT_TRUE(s.plan.require(Exec(), 2, array));
        EXPECT_FALSE(s.plan.require(Exec(), 2, array));
    };
    s.plan.execute(Exec(), u, v);
    EXPECT_FALSE(s.plan.require(Exec(), 2, u, v));
    s.plan.combine(Exec(), Sum{}, u);
    expect_written("combine", u);
    to_v.execute(Exec(), u, v);
    EXPECT_FALSE(s.plan.require(Exec(), 2, u)); // u was only read
    expect_written("redistribution", v);
    const auto some_u = slice(u, {{0, 3}, {}}), some_v = slice(v, {{0, 3}, {}});
    RedistributionPlan between_slices(s.comm, some_u.layout(), some_v.layout());
    between_slices.execute(Exec(), some_u, some_v);
    EXPECT_FALSE(s.plan.require(Exec(), 2, u));
    expect_written("redistribution into a slice", v);
    between_slices.execute(Exec(), some_u, some_v); // bound
    expect_written("redistribution into a slice, again", v);
}

// An axis on one process has no copies, but the program may have asked for some.
TEST(Require, TakesTheSameDepthsOnAnyProcessGrid) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::vector<AxisSpec> axes{block(6 * comm.size(), {.padding = {2, 1}}),
                                     block(6 * comm.size(), {.padding = 1, .periodic = true})};
    for (const bool splits_first : {true, false}) {
        const ArrayLayout layout(
            splits_first ? ProcessGrid{comm.size(), 1} : ProcessGrid{1, comm.size()}, axes);
        const auto u = make_dist_view<std::int64_t**, Kokkos::HostSpace>(Exec(), "u", comm, layout);
        PaddingExchangePlan plan(comm, layout);
        EXPECT_TRUE(plan.require(Exec(), {2, 1}, u)); // axis 1 is periodic
        EXPECT_FALSE(plan.require(Exec(), {2, 1}, u));
        EXPECT_THROW_ON_ALL_RANKS(plan.require(Exec(), {2, 2}, u), UsageError,
                                  "expected depths in [0, 2] and [0, 1]");
        PaddingExchangePlan narrow(comm, layout, {.widths = {Widths(1, 0), Widths(1)}});
        EXPECT_THROW_ON_ALL_RANKS(narrow.require(Exec(), {2, 1}, u), UsageError,
                                  "expected depths in [0, 1] and [0, 1]");
    }
}

// An abandoned exchange may have filled any part of the padding.
TEST(Require, TrustsNoExchangeThatWasAbandoned) {
    Setting s;
    const Plate u = s.make("u");
    s.plan.execute(Exec(), u);
    {
        PaddingExchangePlan other(s.comm, s.layout);
        other.bind(Exec(), u);
        const auto abandoned = other.start(Exec(), u);
    }
    EXPECT_EQ(u.valid_padding(), ValidPadding());
}

TEST(Require, OfWhatIsValidSendsNothingAndAllocatesNothing) {
    Setting s;
    const Plate u = s.make("u");
    s.plan.require(Exec(), 2, u);
    s.plan.require(Exec(), 2, u);
    MpiCounters counters;
    const AllocationCounts counts = count_allocations([&] { s.plan.require(Exec(), 2, u); });
    EXPECT_EQ(counts.heap, 0) << counts.description;
    EXPECT_EQ(counters.stop().sent_total().messages, 0);
}

TEST(Require, RefusesMoreThanThePlanFills) {
    Setting s;
    const Plate u = s.make("u");
    EXPECT_THROW_ON_ALL_RANKS(s.plan.require(Exec(), 3, u), UsageError,
                              "expected depths in [0, 2]");
    EXPECT_THROW_ON_ALL_RANKS(s.plan.require(Exec(), Widths(1, 3), u), UsageError, "got (1, 3)");
    EXPECT_THROW_ON_ALL_RANKS(s.plan.require(Exec(), -1, u), UsageError, "got (-1, -1)");
}

TEST(Require, OfNoPaddingExchangesNothing) {
    Setting s;
    const Plate u = s.make("u");
    EXPECT_FALSE(s.plan.require(Exec(), 0, u));
    EXPECT_EQ(u.view()(0, 0), mark);
    EXPECT_TRUE(s.plan.require(Exec(), Widths(0, 1), u));
}

// If only one rank marks an array as written, ranks disagree on the fields to exchange: they must get an error, not old
// values. Ranks that had no padding to fill get it in the plan's next execution, from the failed rank.
TEST(Require, IsAnErrorWhereOnlySomeRanksWereToldOfAWrite) {
    Setting s;
    if (s.comm.size() == 1) return;
    const Plate u = s.make("u");
    s.plan.execute(Exec(), u);
    if (s.comm.rank() == 0) u.mark_written();
    const auto error_of = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    };
    const std::string what = error_of([&] { s.plan.require(Exec(), 2, u); });
    if (s.comm.rank() == 0) {
        EXPECT_NE(what.find("PaddingExchangePlan #"), std::string::npos) << what;
        EXPECT_NE(what.find("require, nothing to fill"), std::string::npos) << what;
    } else {
        EXPECT_EQ(what, "");
    }
    EXPECT_EQ(error_of([&] { agree(s.comm, "what follows", nullptr); }), "");
    const std::string next = error_of([&] { s.plan.execute(Exec(), u); });
    const bool is_near = s.comm.rank() <= 1 || s.comm.rank() == s.comm.size() - 1;
    EXPECT_TRUE(!is_near || !next.empty());
}

} // namespace

} // namespace distview::testing
