// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages by dimension, for every process of simulated grids, without MPI.
#include "redistribution_oracle.hpp"

#include <distview/comm/impl/schedule/redistribution_stages.hpp>
#include <distview/core/error.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::most_partners;
using distview::impl::redistribution_stages;

constexpr RedistributionOptions by_dimension{.strategy = RedistributionStrategy::by_dimension};

ArrayLayout blocks(const ProcessGrid& grid, std::int64_t size) {
    return {grid, std::vector<AxisSpec>(static_cast<std::size_t>(grid.rank()), block(size))};
}
ArrayLayout cycles(const ProcessGrid& grid, std::int64_t size) {
    return {grid, std::vector<AxisSpec>(static_cast<std::size_t>(grid.rank()), cyclic(size))};
}

std::vector<std::int64_t> partners(const std::vector<RedistributionSchedule>& stages) {
    std::vector<std::int64_t> result;
    for (const RedistributionSchedule& stage : stages) result.push_back(most_partners(stage));
    return result;
}

/// The sections of all processes, element by element, in C order.
using Sections = std::vector<std::vector<std::int64_t>>;

std::size_t place_of(const Extents& extents, const std::array<std::int64_t, max_rank>& at,
                     int rank) {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        result = result * extents[d] + at[d];
    return static_cast<std::size_t>(result);
}

/// Does in one process what a plan does; checks that nobody exchanges with more than he is said to.
void move(const RedistributionSchedule& schedule, const Sections& from, Sections& to) {
    const int rank = schedule.rank();
    std::int64_t most = 0;
    for (int p = 0; p < schedule.to_layout().process_count(); ++p) {
        const Extents to_extents = schedule.to_layout().local_extents(p);
        std::int64_t peers = 0;
        for (const auto& message : schedule.receives(p)) {
            peers += message.elements > 0;
            const Extents from_extents = schedule.from_layout().local_extents(message.peer);
            schedule.for_each_piece(p, message.peer, [&](const RedistributionPiece& piece) {
                std::array<std::int64_t, max_rank> index{};
                for (std::int64_t n = 0; n < piece.elements; ++n) {
                    std::array<std::int64_t, max_rank> there{};
                    std::array<std::int64_t, max_rank> here{};
                    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
                        const auto a =
                            static_cast<std::size_t>(schedule.permutation(static_cast<int>(d)));
                        const std::int64_t i = index[d] / piece.length[d];
                        const std::int64_t j = index[d] % piece.length[d];
                        here[d] = piece.to_begin[d].value() + j * piece.to_step[d] +
                                  i * piece.to_period[d];
                        there[a] = piece.from_begin[a].value() + j * piece.from_step[a] +
                                   i * piece.from_period[a];
                    }
                    to[static_cast<std::size_t>(p)][place_of(to_extents, here, rank)] =
                        from[static_cast<std::size_t>(message.peer)]
                            [place_of(from_extents, there, rank)];
                    for (auto d = static_cast<std::size_t>(rank); d-- > 0;) {
                        if (++index[d] < piece.length[d] * piece.repeats[d]) break;
                        index[d] = 0;
                    }
                }
            });
        }
        most = std::max(most, peers);
    }
    EXPECT_LE(most, most_partners(schedule));
}

Sections make_sections(const ArrayLayout& layout, std::int64_t first, std::int64_t step) {
    Sections result;
    for (int p = 0; p < layout.process_count(); ++p) {
        std::int64_t size = 1;
        for (int d = 0; d < layout.rank(); ++d)
            size *= layout.local_extents(p)[static_cast<std::size_t>(d)];
        result.emplace_back();
        for (std::int64_t i = 0; i < size; ++i, first += step) result.back().push_back(first);
    }
    return result;
}

TEST(RedistributionStages, HaveFewPartnersEach) {
    using Counts = std::vector<std::int64_t>;
    const auto counts = [](const ProcessGrid& grid, std::int64_t size) {
        return partners(
            redistribution_stages(blocks(grid, size), cycles(grid, size), by_dimension));
    };
    EXPECT_EQ(counts(ProcessGrid{4, 4}, 100), (Counts{4, 4}));
    EXPECT_EQ(counts(ProcessGrid{3, 5}, 100), (Counts{3, 5}));
    EXPECT_EQ(counts(ProcessGrid{2, 3, 4}, 40), (Counts{2, 3, 4}));
    EXPECT_EQ(counts(ProcessGrid{32, 32}, 4096), (Counts{32, 32}));
    EXPECT_EQ(counts(ProcessGrid{1000, 1000}, 1'000'000), (Counts{1000, 1000}));
    const ProcessGrid grid{1000, 1000};
    EXPECT_EQ(
        most_partners(RedistributionSchedule(blocks(grid, 1'000'000), cycles(grid, 1'000'000))),
        1'000'000);
    // What keeps its coordinate needs no stage.
    EXPECT_EQ(counts(ProcessGrid{16}, 256), (Counts{16}));
    EXPECT_EQ(counts(ProcessGrid{1, 7}, 100), (Counts{7}));
    const ArrayLayout from(ProcessGrid{4, 4}, {block(64), block(64)});
    const ArrayLayout to(ProcessGrid{4, 4}, {cyclic(64), block(64)});
    EXPECT_EQ(partners(redistribution_stages(from, to, by_dimension)), (Counts{4}));
}

TEST(RedistributionStages, CountAsTheirMessagesDo) {
    const ProcessGrid grid{4, 6};
    RedistributionOptions options = by_dimension;
    options.permutation = {1, 0};
    const ArrayLayout to(ProcessGrid{6, 4}, {cyclic(60), cyclic(60)});
    const auto stages = redistribution_stages(blocks(grid, 60), to, options);
    ASSERT_EQ(stages.size(), 2u);
    for (int p = 0; p < grid.size(); ++p) {
        std::size_t counts[2];
        for (std::size_t s = 0; s < 2; ++s) {
            counts[s] = stages[s].receives(p).size();
            EXPECT_EQ(stages[s].sends(p).size(), counts[s]);
        }
        EXPECT_EQ(counts[0] + counts[1], 10u) << p;
    }
}

// One process does the work of all; what is not written must stay.
TEST(RedistributionStages, MoveWhatOneStageMoves) {
    std::int64_t by_stages = 0;
    for_each_case(2000, [&](Random& random, std::uint64_t) {
        const auto rank = static_cast<int>(random.integer(1, 4));
        const auto processes = static_cast<int>(random.integer(1, 17));
        RedistributionCase c = random_redistribution_case(random, rank, processes, processes);
        c.options.strategy = RedistributionStrategy::by_dimension;
        std::vector<RedistributionSchedule> stages;
        try {
            stages = redistribution_stages(c.from, c.to, c.options);
        } catch (const LayoutError&) {
            return; // grids that do not allow it
        }
        SCOPED_TRACE(c.describe());
        Sections expected = make_sections(c.to, -1, 0);
        Sections got = expected;
        const Sections sources = make_sections(c.from, 0, 1);
        move(RedistributionSchedule(c.from, c.to, c.options), sources, expected);
        Sections between = sources;
        for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
            Sections next = make_sections(stages[s].to_layout(), -2, 0);
            move(stages[s], between, next);
            between = std::move(next);
        }
        move(stages.back(), between, got);
        EXPECT_EQ(got, expected);
        by_stages += stages.size() > 1;
    });
    EXPECT_GT(by_stages, 20);
}

TEST(RedistributionStages, AreChosenWhereManySmallMessagesAreSaved) {
    const auto count = [](const ProcessGrid& grid, std::int64_t size) {
        return redistribution_stages(blocks(grid, size), cycles(grid, size)).size();
    };
    EXPECT_EQ(count(ProcessGrid{32, 32}, 1024), 2u);   // 8 KiB in 1024 messages
    EXPECT_EQ(count(ProcessGrid{32, 32}, 320000), 1u); // 800 MB in 1024 messages
    EXPECT_EQ(count(ProcessGrid{2, 2}, 8), 1u);        // nothing is saved
    EXPECT_EQ(count(ProcessGrid{8, 8, 8}, 64), 3u);
    RedistributionOptions direct;
    direct.strategy = RedistributionStrategy::direct;
    const ProcessGrid grid{32, 32};
    EXPECT_EQ(redistribution_stages(blocks(grid, 1024), cycles(grid, 1024), direct).size(), 1u);
    // Not where it is impossible, unless it is asked for.
    const ArrayLayout from(ProcessGrid{32, 32}, {block(1024), block(1024)});
    const ArrayLayout to(ProcessGrid{64, 16}, {cyclic(1024), cyclic(1024)});
    EXPECT_EQ(redistribution_stages(from, to).size(), 1u);
    try {
        redistribution_stages(from, to, by_dimension);
        ADD_FAILURE() << "expected an error";
    } catch (const LayoutError& error) {
        EXPECT_STREQ(error.what(),
                     "RedistributionSchedule: by dimension, expected a target's grid with the "
                     "extents of the source's along the axes that it takes, got 64 x 16 from 32 x "
                     "32");
    }
}

} // namespace

} // namespace distview::testing
