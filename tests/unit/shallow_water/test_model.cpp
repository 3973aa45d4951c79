// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_run.hpp"

#include "../../support/shallow_water_emulator.hpp"

#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace distview::testing {

namespace {

struct Size {
    int nx, ny;
};

class ModelTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    Communicator alone{MPI_COMM_SELF};
};

/// The whole array on rank 0; empty on the other ranks.
std::vector<double> whole(const Communicator& comm, const shallow_water::Array<double>& array) {
    const auto all = gather(shallow_water::Exec(), comm, array, 0);
    return std::vector<double>(all.data(), all.data() + all.size());
}

TEST_F(ModelTest, mode_c_has_the_same_bits_on_every_grid_with_either_exchange_and_poisoned) {
    // Uneven blocks, blocks of one row or column, one cell per process, and larger blocks.
    for (const Size size : {Size{96, 48}, Size{61, 37}, Size{12, 7}, Size{7, 12}, Size{6, 6}}) {
        Options options = small_run(size.nx, size.ny, Mode::corrected, Exchanges::literal);
        const Digests expected = digests_after(alone, options, 12);
        for (const auto& grid : grids(world.size(), size.nx, size.ny))
            for (const auto& [exchanges, cut] : {std::pair(Exchanges::literal, Cut::strips),
                                                 {Exchanges::fused, Cut::strips},
                                                 {Exchanges::fused, Cut::tiles}}) {
                if (cut == Cut::tiles && (size.ny / grid[0] < 2 || size.nx / grid[1] < 2)) continue;
                for (const bool poison : {false, true}) {
                    options.grid_rows = grid[0];
                    options.grid_columns = grid[1];
                    options.exchanges = exchanges;
                    options.cut = cut;
                    options.poison = poison;
                    EXPECT_EQ(digests_after(world, options, 12), expected)
                        << size.nx << " x " << size.ny << " cells, grid " << grid[0] << 'x'
                        << grid[1] << (exchanges == Exchanges::literal ? " literal" : " fused")
                        << (cut == Cut::tiles ? " in tiles" : "") << (poison ? " poisoned" : "");
                }
            }
    }
}

TEST_F(ModelTest, deep_padding_gives_the_same_bits_between_exchanges_too) {
    for (const Size size : {Size{96, 48}, Size{61, 37}}) {
        Options options = small_run(size.nx, size.ny, Mode::corrected, Exchanges::fused);
        for (const int steps : {9, 12}) {
            options.deep = 1;
            options.grid_rows = options.grid_columns = 1;
            const Digests expected = digests_after(alone, options, steps);
            for (const auto& grid : grids(world.size(), size.nx, size.ny))
                for (const int deep : {2, 3, 4}) {
                    if (size.ny / grid[0] < 2 * deep || size.nx / grid[1] < 2 * deep) continue;
                    options.grid_rows = grid[0];
                    options.grid_columns = grid[1];
                    options.deep = deep;
                    options.poison = deep == 3;
                    EXPECT_EQ(digests_after(world, options, steps), expected)
                        << size.nx << " x " << size.ny << " cells, grid " << grid[0] << 'x'
                        << grid[1] << ", deep " << deep << ", steps " << steps;
                    options.poison = false;
                }
        }
    }
}

TEST_F(ModelTest, deep_padding_exchanges_every_kth_step) {
    ::setenv("DISTVIEW_TRANSPORT", "message", 1);
    for (const auto& grid : grids(world.size(), 60, 60)) {
        Options options = small_run(60, 60, Mode::corrected, Exchanges::fused);
        options.grid_rows = grid[0];
        options.grid_columns = grid[1];
        double of_every_step = 0;
        for (const int deep : {1, 2, 3, 4}) {
            options.deep = deep;
            shallow_water::Model<double> model(shallow_water::Exec(), world, options);
            model.initialize();
            for (int step = 0; step < deep; ++step) model.step();
            MpiCounters counters;
            for (int step = 0; step < 12; ++step) model.step();
            const MpiTraffic traffic = counters.stop();
            if (deep == 1) of_every_step = static_cast<double>(traffic.sent_total().messages);
            EXPECT_EQ(static_cast<double>(traffic.sent_total().messages) * deep, of_every_step);
            EXPECT_DOUBLE_EQ(12 * model.messages_per_step() * deep, of_every_step);
        }
    }
    ::unsetenv("DISTVIEW_TRANSPORT");
}

TEST_F(ModelTest, deep_padding_wants_sections_as_wide) {
    Options options = small_run(96, 16 * world.size() - 1, Mode::corrected, Exchanges::fused);
    options.grid_rows = world.size();
    options.grid_columns = 1;
    options.deep = 8;
    EXPECT_THROW_ON_ALL_RANKS(shallow_water::Model<double>(shallow_water::Exec(), world, options),
                              UsageError, "--deep 8: expected at least 16 rows and columns");
}

TEST_F(ModelTest, float32_has_the_same_bits_on_every_grid_too) {
    Options options = small_run(61, 37, Mode::corrected, Exchanges::literal);
    const Digests expected = digests_after<float>(alone, options, 20);
    options.exchanges = Exchanges::fused;
    for (const auto& grid : grids(world.size(), options.nx, options.ny)) {
        options.grid_rows = grid[0];
        options.grid_columns = grid[1];
        for (const Cut cut : {Cut::strips, Cut::tiles}) {
            options.cut = cut;
            EXPECT_EQ(digests_after<float>(world, options, 20), expected);
        }
    }
}

TEST_F(ModelTest, mode_p_is_the_same_with_either_exchange_and_poisoned) {
    for (const Size size : {Size{40, 24}, Size{13, 17}})
        for (const auto& grid : grids(world.size(), size.nx, size.ny)) {
            Options options = small_run(size.nx, size.ny, Mode::published, Exchanges::literal);
            options.grid_rows = grid[0];
            options.grid_columns = grid[1];
            const Digests expected = digests_after(world, options, 15);
            options.exchanges = Exchanges::fused;
            EXPECT_EQ(digests_after(world, options, 15), expected) << grid[0] << 'x' << grid[1];
            options.poison = true;
            EXPECT_EQ(digests_after(world, options, 15), expected)
                << grid[0] << 'x' << grid[1] << " poisoned";
        }
}

TEST_F(ModelTest, agrees_with_the_serial_emulation_of_its_grid) {
    for (const Mode mode : {Mode::corrected, Mode::published})
        for (const Size size : {Size{30, 20}, Size{23, 18}})
            for (const auto& grid : grids(world.size(), size.nx, size.ny)) {
                Options options = small_run(size.nx, size.ny, mode, Exchanges::fused);
                options.grid_rows = grid[0];
                options.grid_columns = grid[1];
                shallow_water::Model<double> model(shallow_water::Exec(), world, options);
                ShallowWaterEmulator<double> emulator(size.nx, size.ny, grid[0], grid[1],
                                                      mode == Mode::corrected
                                                          ? ShallowWaterMode::corrected
                                                          : ShallowWaterMode::published);
                model.initialize();
                for (int step = 0; step < 60; ++step) {
                    model.step();
                    emulator.step();
                }
                double worst = 0;
                const std::array<const shallow_water::Array<double>*, 3> arrays{
                    &model.h(), &model.u(), &model.v()};
                for (std::size_t f = 0; f < 3; ++f) {
                    const std::vector<double> mine = whole(world, *arrays[f]);
                    const std::vector<double> truth = emulator.field("huv"[f]);
                    for (std::size_t i = 0; i < mine.size(); ++i)
                        worst = std::max(worst, std::abs(mine[i] - truth[i]));
                }
                EXPECT_LE(worst, 1e-11) << grid[0] << 'x' << grid[1];
            }
}

TEST_F(ModelTest, messages_are_those_of_the_schedules) {
    ::setenv("DISTVIEW_TRANSPORT", "message",
             1); // otherwise neighbours read each other's arrays in place
    for (const Mode mode : {Mode::corrected, Mode::published})
        for (const Exchanges exchanges : {Exchanges::literal, Exchanges::fused})
            for (const auto& grid : grids(world.size(), 32, 24)) {
                Options options = small_run(32, 24, mode, exchanges);
                options.grid_rows = grid[0];
                options.grid_columns = grid[1];
                shallow_water::Model<double> model(shallow_water::Exec(), world, options);
                model.initialize();
                model.step();
                model.step(); // all sets of arrays are bound now
                constexpr int steps = 5;
                MpiCounters counters;
                for (int step = 0; step < steps; ++step) model.step();
                const MpiTraffic traffic = counters.stop();
                EXPECT_EQ(static_cast<double>(traffic.sent_total().messages),
                          steps * model.messages_per_step());
                EXPECT_EQ(traffic.collective_calls(), 0);
            }
    ::unsetenv("DISTVIEW_TRANSPORT");
}

TEST_F(ModelTest, fused_exchanges_at_most_two_in_mode_c_and_three_in_mode_p) {
    for (const auto& grid : grids(world.size(), 32, 24)) {
        const auto messages = [&](Mode mode, std::int64_t nx, std::int64_t ny) {
            Options options = small_run(nx, ny, mode, Exchanges::fused);
            options.grid_rows = grid[0];
            options.grid_columns = grid[1];
            return shallow_water::Model<double>(shallow_water::Exec(), world, options)
                .messages_per_step();
        };
        Options options = small_run(32, 24, Mode::corrected, Exchanges::literal);
        options.grid_rows = grid[0];
        options.grid_columns = grid[1];
        const double neighbours =
            shallow_water::Model<double>(shallow_water::Exec(), world, options)
                .messages_per_step() /
            14;
        EXPECT_LE(messages(Mode::corrected, 32, 24), neighbours);
        EXPECT_LE(messages(Mode::published, 32, 24), 3 * neighbours);
        // One row or column per process: too narrow for padding of two.
        EXPECT_LE(messages(Mode::corrected, grid[1], grid[0]), 2 * neighbours);
    }
}

TEST_F(ModelTest, volume_is_conserved) {
    const Options options = small_run(48, 30, Mode::corrected, Exchanges::fused);
    shallow_water::Model<double> model(shallow_water::Exec(), world, options);
    model.initialize();
    const double before = statistics_of(world, options, model)[0].sum;
    for (int step = 0; step < 1000; ++step) model.step();
    const double after = statistics_of(world, options, model)[0].sum;
    EXPECT_LE(std::abs(after / before - 1), 1e-12);
}

TEST_F(ModelTest, goes_back_to_a_snapshot) {
    struct Way {
        Mode mode;
        Cut cut;
        int deep;
    };
    for (const Way& way :
         {Way{Mode::corrected, Cut::strips, 1}, Way{Mode::corrected, Cut::strips, 2},
          Way{Mode::corrected, Cut::tiles, 1}, Way{Mode::published, Cut::strips, 1}}) {
        Options options = small_run(40, 24, way.mode, Exchanges::fused);
        options.cut = way.cut;
        options.deep = way.deep;
        shallow_water::Model<double> model(shallow_water::Exec(), world, options);
        model.initialize();
        model.step();
        const auto snapshot = model.save();
        for (int step = 0; step < 4; ++step) model.step();
        const auto expected = statistics_of(world, options, model);
        model.restore(snapshot);
        EXPECT_EQ(model.steps_done(), 1);
        for (int step = 0; step < 4; ++step) model.step();
        const auto again = statistics_of(world, options, model);
        for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(again[f].digest, expected[f].digest);
    }
}

TEST_F(ModelTest, a_grid_that_does_not_fit_is_refused_on_all_ranks) {
    Options options = small_run(8, 8, Mode::corrected, Exchanges::fused);
    options.grid_rows = world.size() + 1;
    options.grid_columns = 1;
    EXPECT_THROW_ON_ALL_RANKS((shallow_water::Model<double>(shallow_water::Exec(), world, options)),
                              UsageError, "expected a grid of");
    if (world.size() == 1) return;
    options.ny = 1;
    options.grid_rows = world.size();
    EXPECT_THROW_ON_ALL_RANKS((shallow_water::Model<double>(shallow_water::Exec(), world, options)),
                              LayoutError, "at least one cell for every process");
}

TEST_F(ModelTest, tiles_are_refused_where_there_are_none) {
    const auto refused = [&](const Options& asked, const char* expected) {
        Options options = asked;
        options.cut = Cut::tiles;
        options.grid_rows = world.size();
        options.grid_columns = 1;
        EXPECT_THROW_ON_ALL_RANKS(
            (shallow_water::Model<double>(shallow_water::Exec(), world, options)), UsageError,
            expected);
    };
    const std::int64_t rows = 2 * world.size();
    refused(small_run(8, rows, Mode::published, Exchanges::fused), "got mode P, fused");
    refused(small_run(8, rows, Mode::corrected, Exchanges::literal), "got mode C, literal");
    refused(small_run(8, rows - 1, Mode::corrected, Exchanges::fused), "1 grid");
    refused(small_run(1, rows, Mode::corrected, Exchanges::fused), "1 columns on a");
}

} // namespace

} // namespace distview::testing
