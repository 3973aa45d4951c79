// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "padding_oracle.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Schedules = std::vector<std::optional<PaddingExchangeSchedule>>;

/// Calls visit(position in this section, position in the peer's) for every cell of a region.
template <class Visit>
void for_each_pair(const PaddingRegion& region, int rank, Visit&& visit) {
    Position here{};
    Position there{};
    for (std::int64_t i = 0; i < region.elements; ++i) {
        std::int64_t rest = i;
        for (int d = rank - 1; d >= 0; --d) {
            const auto a = static_cast<std::size_t>(d);
            here[a] = region.begin[a] + rest % region.extents[a];
            there[a] = region.peer_begin[a] + rest % region.extents[a];
            rest /= region.extents[a];
        }
        visit(here, there);
    }
}

std::int64_t number_of(const Position& position, const std::vector<std::int64_t>& extents) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        if (position[d] < 0 || position[d] >= extents[d]) return -1;
        number = number * extents[d] + position[d];
    }
    return number;
}

/// Compares the incoming regions of one process with the reference, cell by cell.
std::string find_flaw_of_incoming(const ArrayGeometry& geometry,
                                  const PaddingExchangeSchedule& schedule) {
    const int process = schedule.process();
    const std::vector<std::int64_t> extents = geometry.extents(process);
    // The source of each filled cell: process and number.
    std::map<std::int64_t, std::pair<int, std::int64_t>> filled;
    std::string flaw;
    schedule.for_each_incoming([&](const PaddingRegion& region) {
        const std::vector<std::int64_t> peer_extents = geometry.extents(region.peer);
        std::int64_t elements = 1;
        for (const std::int64_t extent : region.extents) elements *= extent;
        if (elements != region.elements || elements == 0)
            flaw = text("a region has ", region.elements, " elements, its extents ", elements);
        for_each_pair(region, static_cast<int>(extents.size()), [&](Position here, Position there) {
            const std::int64_t to = number_of(here, extents);
            const std::int64_t from = number_of(there, peer_extents);
            if (to < 0 || from < 0) flaw = "a region leaves a section";
            if (!filled.emplace(to, std::pair(region.peer, from)).second)
                flaw = text("process ", process, ": cell ", to, " is filled twice");
        });
    });
    std::size_t expected = 0;
    geometry.for_each_cell(process, [&](const ExpectedCell& cell) {
        const auto found = filled.find(cell.number);
        expected += cell.filled;
        if (cell.filled != (found != filled.end()))
            flaw = text("process ", process, ": cell ", cell.number,
                        cell.filled ? " is not filled" : " is filled");
        else if (cell.filled && found->second != std::pair(cell.source_process, cell.source_number))
            flaw = text("process ", process, ": cell ", cell.number, " is filled from cell ",
                        found->second.second, " of process ", found->second.first, ", expected ",
                        cell.source_number, " of ", cell.source_process);
    });
    if (flaw.empty() && expected != filled.size()) flaw = "regions reach beyond the section";
    return flaw;
}

using RegionsByPeer = std::map<int, std::vector<PaddingRegion>>;

/// Compares the list of messages stated by a schedule with its regions.
std::string find_flaw_of_messages(const PaddingExchangeSchedule& schedule,
                                  const RegionsByPeer& regions,
                                  const std::vector<PaddingExchangeSchedule::Message>& stated) {
    std::vector<PaddingExchangeSchedule::Message> expected;
    for (const auto& [peer, list] : regions) {
        if (peer == schedule.process()) continue;
        expected.push_back({peer, static_cast<int>(list.size()), 0});
        for (const PaddingRegion& region : list) expected.back().elements += region.elements;
    }
    return stated == expected ? "" : text("process ", schedule.process(), ": wrong messages");
}

/// Both sides of every message must list the same boxes in the same order.
std::string find_flaw_of_pairs(const Schedules& schedules) {
    std::vector<RegionsByPeer> incoming(schedules.size());
    std::vector<RegionsByPeer> outgoing(schedules.size());
    for (std::size_t p = 0; p < schedules.size(); ++p) {
        const PaddingExchangeSchedule& schedule = *schedules[p];
        schedule.for_each_incoming(
            [&](const PaddingRegion& region) { incoming[p][region.peer].push_back(region); });
        schedule.for_each_outgoing(
            [&](const PaddingRegion& region) { outgoing[p][region.peer].push_back(region); });
        std::string flaw = find_flaw_of_messages(schedule, incoming[p], schedule.receives());
        if (flaw.empty()) flaw = find_flaw_of_messages(schedule, outgoing[p], schedule.sends());
        std::int64_t local = 0;
        for (const PaddingRegion& region : incoming[p][static_cast<int>(p)])
            local += region.elements;
        if (local != schedule.local_elements()) flaw = "wrong local_elements()";
        if (!flaw.empty()) return flaw;
    }
    for (std::size_t to = 0; to < schedules.size(); ++to)
        for (std::size_t from = 0; from < schedules.size(); ++from) {
            const auto& in = incoming[to][static_cast<int>(from)];
            const auto& out = outgoing[from][static_cast<int>(to)];
            const bool alike =
                std::equal(in.begin(), in.end(), out.begin(), out.end(),
                           [](const PaddingRegion& a, const PaddingRegion& b) {
                               return a.begin == b.peer_begin && a.peer_begin == b.begin &&
                                      a.extents == b.extents && a.direction == b.direction;
                           });
            if (!alike) return text("processes ", from, " and ", to, " list different regions");
        }
    return {};
}

std::string find_flaw(const ArrayGeometry& geometry) {
    const ArrayLayout layout = geometry.layout();
    Schedules schedules(static_cast<std::size_t>(geometry.process_count()));
    for (int p = 0; p < geometry.process_count(); ++p) {
        std::string failure;
        try {
            schedules[static_cast<std::size_t>(p)].emplace(layout, p, geometry.options());
        } catch (const LayoutError& error) {
            failure = error.what();
        }
        if (geometry.is_valid(p) != failure.empty())
            return text("process ", p, geometry.is_valid(p) ? " refuses: " : " accepts", failure);
    }
    if (!geometry.is_valid()) return {};
    for (const auto& schedule : schedules) {
        const std::string flaw = find_flaw_of_incoming(geometry, *schedule);
        if (!flaw.empty()) return flaw;
    }
    return find_flaw_of_pairs(schedules);
}

TEST(PaddingExchangeSchedule, AgreesWithTheCellByCellReference) {
    int exchanged = 0;
    for_each_case(4000, [&](Random& random, std::uint64_t) {
        const int axis_count = static_cast<int>(random.integer(1, 7));
        const int process_count = static_cast<int>(random.integer(1, axis_count < 4 ? 17 : 9));
        const ArrayGeometry geometry = random_geometry(
            random, random_process_grid(random, process_count, axis_count), limits_for(axis_count));
        EXPECT_EQ(find_flaw(geometry), "") << geometry.describe();
        exchanged += geometry.is_valid();
    });
    // Most cases must exchange: the generator must not draw too many layouts that cannot be exchanged.
    EXPECT_GT(exchanged, 2000);
}

TEST(PaddingExchangeSchedule, AgreesWithTheReferenceOnEightAxes) {
    for_each_case(20, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 5));
        const ArrayGeometry geometry = random_geometry(
            random, random_process_grid(random, process_count, max_rank), {.block = 1, .width = 1});
        EXPECT_EQ(find_flaw(geometry), "") << geometry.describe();
    });
}

/// Peer, begin in this section, begin in the peer's, extent: of every incoming region of a 1-D layout.
using Region1D = std::array<std::int64_t, 4>;

std::vector<Region1D> incoming_1d(const ArrayLayout& layout, int process,
                                  const PaddingExchangeOptions& options = {}) {
    std::vector<Region1D> result;
    PaddingExchangeSchedule(layout, process, options)
        .for_each_incoming([&](const PaddingRegion& region) {
            result.push_back({region.peer, region.begin[0].value(), region.peer_begin[0].value(),
                              region.extents[0]});
        });
    return result;
}

// The example in the protocol's text: cells bboooooc and cooooobb. Cells 0 and 1 of the whole array
// are filled from 10 and 11, cells 12 and 13 from 2 and 3.
TEST(PaddingExchangeSchedule, FillsThePeriodicExampleOfTheProtocol) {
    const ArrayLayout layout(ProcessGrid{2}, {block_bounds({0, 5, 10}, {.padding = {1, 1},
                                                                        .boundary = Widths(2, 2),
                                                                        .periodic = true})});
    // Global 10 and 11 are local 4 and 5 on process 1, whose first element is 6.
    EXPECT_EQ(incoming_1d(layout, 0), (std::vector<Region1D>{{1, 0, 4, 2}, {1, 7, 1, 1}}));
    // Global 2 and 3 are local 2 and 3 on process 0.
    EXPECT_EQ(incoming_1d(layout, 1), (std::vector<Region1D>{{0, 0, 6, 1}, {0, 6, 2, 2}}));
}

TEST(PaddingExchangeSchedule, FillsPartOfThePaddingNextToTheOwnedElements) {
    const ArrayLayout layout(ProcessGrid{2}, {block(12, {.padding = {3, 3}})});
    PaddingExchangeOptions options;
    options.widths = std::vector{Widths(1, 2)};
    // Process 0: boundary 0..2, owned 3..8, padding 9..11, of which the first two cells are filled.
    EXPECT_EQ(incoming_1d(layout, 0, options), (std::vector<Region1D>{{1, 9, 3, 2}}));
    // Process 1: padding 0..2, of which the last cell is filled.
    EXPECT_EQ(incoming_1d(layout, 1, options), (std::vector<Region1D>{{0, 2, 8, 1}}));
}

// Blocks of 2, 1, 0 and 3, boundary padding of 1, padding of 4 on the low and 3 on the high side:
//
//     process 0   B 0 1 | 2 3 4                 process 2   B 0 1 2 |         | 3 4 5
//     process 1   . B 0 1 | 2 | 3 4 5           process 3       B 0 1 2 | 3 4 5 B
TEST(PaddingExchangeSchedule, ReachesAcrossSectionsAndToTheWalls) {
    const ArrayLayout layout(
        ProcessGrid{4},
        {block_bounds({0, 2, 3, 3, 6}, {.padding = {4, 3}, .boundary = Widths(1)})});
    // From process 1 its whole block, from process 3 the first two elements after its low padding.
    EXPECT_EQ(incoming_1d(layout, 0), (std::vector<Region1D>{{1, 3, 4, 1}, {3, 4, 4, 2}}));
    // Process 0 provides three, with its boundary padding. No process has an element before it.
    EXPECT_EQ(incoming_1d(layout, 1), (std::vector<Region1D>{{0, 1, 0, 3}, {3, 5, 4, 3}}));
    EXPECT_EQ(incoming_1d(layout, 2),
              (std::vector<Region1D>{{1, 3, 4, 1}, {0, 0, 0, 3}, {3, 4, 4, 3}}));
    EXPECT_EQ(incoming_1d(layout, 3), (std::vector<Region1D>{{1, 3, 4, 1}, {0, 0, 0, 3}}));
    const PaddingExchangeSchedule second(layout, 1);
    EXPECT_EQ(second.filled().depth(0), Widths(4, 3));
    EXPECT_EQ(second.sends(),
              (std::vector<PaddingExchangeSchedule::Message>{{0, 1, 1}, {2, 1, 1}, {3, 1, 1}}));
}

// All processes must state the same filled depth, since they count it down alike.
TEST(PaddingExchangeSchedule, SaysTheSameOfWhatIsFilledOnAllProcesses) {
    const auto filled = [](const AxisSpec& axis, int processes,
                           const PaddingExchangeOptions& options = {}) {
        const ArrayLayout layout(ProcessGrid{processes}, {axis});
        const ValidPadding first = PaddingExchangeSchedule(layout, 0, options).filled();
        for (int p = 1; p < processes; ++p)
            EXPECT_EQ(PaddingExchangeSchedule(layout, p, options).filled(), first) << p;
        return first.depth(0);
    };
    const auto walls = block(20, {.padding = {4, 1}, .boundary = Widths(2, 3)});
    EXPECT_EQ(filled(walls, 1), Widths(0));
    EXPECT_EQ(filled(walls, 2), Widths(4, 1));
    EXPECT_EQ(filled(walls, 5), Widths(4, 1));
    EXPECT_EQ(filled(walls, 5, {.widths = std::vector{Widths(3, 0)}}), Widths(3, 0));
    const auto ring = block(20, {.padding = {4, 1}, .boundary = Widths(2, 3), .periodic = true});
    EXPECT_EQ(filled(ring, 1), Widths(2, 3));
    EXPECT_EQ(filled(ring, 4), Widths(2, 1));
    // The least existing width, not counting processes without padding.
    const auto other_widths =
        block_bounds({0, 5, 10, 15, 20}, {.boundary = Widths(1)}, {{9, 3}, {4, 0}, {2, 2}, {5, 9}});
    EXPECT_EQ(filled(other_widths, 4), Widths(2));
}

TEST(PaddingExchangeSchedule, GoesAroundARingAgainAndAgain) {
    const ArrayLayout alone(ProcessGrid{1}, {block(2, {.padding = 5, .periodic = true})});
    // Section 1 0 1 0 1 | 0 1 | 0 1 0 1 0, filled from the middle outwards.
    EXPECT_EQ(
        incoming_1d(alone, 0),
        (std::vector<Region1D>{
            {0, 3, 5, 2}, {0, 1, 5, 2}, {0, 0, 6, 1}, {0, 7, 5, 2}, {0, 9, 5, 2}, {0, 11, 5, 1}}));
    // On process 0, section 1 0 1 | 0 | 1 0 1: its own element lies in between.
    const ArrayLayout two(ProcessGrid{2}, {block(2, {.padding = 3, .periodic = true})});
    EXPECT_EQ(
        incoming_1d(two, 0),
        (std::vector<Region1D>{
            {1, 2, 3, 1}, {0, 1, 3, 1}, {1, 0, 3, 1}, {1, 4, 3, 1}, {0, 5, 3, 1}, {1, 6, 3, 1}}));
    EXPECT_EQ(PaddingExchangeSchedule(two, 0).local_elements(), 2);
    // An axis without elements cannot fill padding.
    const ArrayLayout none(ProcessGrid{2}, {block(0, {.padding = 3, .periodic = true})});
    EXPECT_TRUE(incoming_1d(none, 0).empty());
}

TEST(PaddingExchangeSchedule, MovesBoundaryPaddingOfWallsWithItsOwner) {
    // A wall along axis 0, two processes along axis 1: padding columns include the boundary rows,
    // which have the same owner.
    const ArrayLayout layout(ProcessGrid{1, 2},
                             {block(4, {.padding = 2}), block(8, {.padding = 1})});
    int regions = 0;
    PaddingExchangeSchedule(layout, 0).for_each_incoming([&](const PaddingRegion& region) {
        ++regions;
        EXPECT_EQ(region.peer, 1);
        EXPECT_EQ(region.begin[0], 0);
        EXPECT_EQ(region.extents[0], 8);
        EXPECT_EQ(region.extents[1], 1);
    });
    EXPECT_EQ(regions, 1);
    EXPECT_EQ(PaddingExchangeSchedule(layout, 0).unwritten_range(0),
              (LocalRange{LocalIndex(0), LocalIndex(8)}));
}

TEST(PaddingExchangeSchedule, AcceptsAnEmptySectionBesideNoPadding) {
    const ArrayLayout layout(ProcessGrid{3},
                             {block_bounds({0, 4, 4, 8}, {.boundary = Widths(0)},
                                           {Widths(0, 0), Widths(0, 0), Widths(0, 0)})});
    for (int p = 0; p < 3; ++p) EXPECT_TRUE(incoming_1d(layout, p).empty());
}

TEST(PaddingExchangeSchedule, HasNoRegionsWithoutAxes) {
    const PaddingExchangeSchedule schedule(ArrayLayout(), 0);
    EXPECT_TRUE(schedule.sends().empty());
    EXPECT_TRUE(schedule.receives().empty());
    EXPECT_EQ(schedule.local_elements(), 0);
}

TEST(PaddingExchangeSchedule, LeavesAxesOfOtherKindsAlone) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {cyclic(7), block(6, {.padding = 1})});
    for (int p = 0; p < 4; ++p) {
        const PaddingExchangeSchedule schedule(layout, p);
        ASSERT_EQ(schedule.receives().size(), 1u);
        EXPECT_EQ(schedule.receives()[0].peer, p ^ 1);
        EXPECT_EQ(schedule.receives()[0].elements, p < 2 ? 4 : 3);
    }
}

template <class ErrorType>
std::string message_of(const ArrayLayout& layout, int process,
                       const PaddingExchangeOptions& options = {}) {
    try {
        PaddingExchangeSchedule(layout, process, options);
    } catch (const ErrorType& error) {
        return error.what();
    }
    return "no such exception";
}

TEST(PaddingExchangeSchedule, SaysWhatCannotBeFilled) {
    const ArrayLayout plain(ProcessGrid{2}, {block(8, {.padding = 1})});
    PaddingExchangeOptions options;
    options.widths = std::vector{Widths(2, 0)};
    EXPECT_EQ(message_of<LayoutError>(plain, 1, options),
              "PaddingExchangeSchedule: cannot fill 2 elements on the low side of axis 0, the "
              "section of process (1) has a padding of 1");
    options.widths = std::vector{Widths(-1, 0)};
    EXPECT_EQ(message_of<LayoutError>(plain, 1, options),
              "PaddingExchangeSchedule: expected widths >= 0 along axis 0, got (-1, 0)");
    options.widths = std::vector{Widths(1), Widths(1)};
    EXPECT_EQ(message_of<LayoutError>(plain, 1, options),
              "PaddingExchangeSchedule: expected widths for the array's 1 axes, got 2");
    options.widths = std::vector{Widths(1, 0)};
    EXPECT_EQ(message_of<LayoutError>(ArrayLayout(ProcessGrid{2}, {cyclic(8)}), 0, options),
              "PaddingExchangeSchedule: axis 0 is not a block axis and has no padding to fill");
    EXPECT_EQ(message_of<UsageError>(plain, 2),
              "PaddingExchangeSchedule: expected a process in [0, 2), got 2");
    EXPECT_EQ(message_of<UsageError>(plain, -1),
              "PaddingExchangeSchedule: expected a process in [0, 2), got -1");
}

TEST(PaddingExchangeSchedule, DescribesItself) {
    const ArrayLayout layout(
        ProcessGrid{2, 2}, {block(8, {.padding = 1, .periodic = true}), block(6, {.padding = 1})});
    // Sections are 6 x 5. Along the periodic axis two rows of 4 are sent to the other process,
    // along the other axis a column of 4, with two corners.
    EXPECT_EQ(PaddingExchangeSchedule(layout, 0).describe(),
              "process 0 of 4 sends 3 messages (14 elements) and copies 0 elements itself\n"
              "  to process 1: 4 elements in 1 region\n"
              "  to process 2: 8 elements in 2 regions\n"
              "  to process 3: 2 elements in 2 regions");
}

// The schedule has a fixed size and is computed by arithmetic: no part grows with the grid.
TEST(PaddingExchangeSchedule, OfAMillionProcessesIsSmall) {
    constexpr int side = 1000;
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < side; ++p) bounds.push_back(bounds.back() + 3 + p % 5);
    const BlockOptions options{.padding = 2, .periodic = true};
    const ProcessGrid grid{side, side};
    const ArrayLayout closed_form(grid, {block(3600, options), regular_block(7997, options)});
    const ArrayLayout irregular(grid,
                                {block_bounds(bounds, options), block_bounds(bounds, options)});
    for (const ArrayLayout& layout : {closed_form, irregular})
        for (const int process : {0, 999, 1000, 500500, 999000, 999999}) {
            std::vector<PaddingExchangeSchedule::Message> sends;
            CountAllocations counter;
            const PaddingExchangeSchedule schedule(layout, process);
            sends = schedule.sends();
            const AllocationCounts counts = counter.stop();
            EXPECT_EQ(sends.size(), 8u);
            EXPECT_LT(sizeof(schedule) + static_cast<std::size_t>(counts.heap_bytes), 65536u)
                << counts.description;
        }
}

// The same, including the construction of the layout.
TEST(PaddingExchangeSchedule, OfAMillionProcessesIsSmallWithItsLayout) {
    CountAllocations counter;
    const ArrayLayout layout(ProcessGrid{1000, 1000},
                             {block(3600, {.padding = 1}), block(7200, {.padding = 1})});
    const PaddingExchangeSchedule schedule(layout, 123456);
    const AllocationCounts counts = counter.stop();
    EXPECT_LT(sizeof(schedule) + static_cast<std::size_t>(counts.heap_bytes), 65536u)
        << counts.description;
}

} // namespace

} // namespace distview::testing
