// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs continued from a checkpoint, on other ranks and grids, compared with the same run without interruption.
#include "run_files.hpp"

#include "model_run.hpp"

#include "../../io/stored_fields.hpp"

#include <distview/io.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using shallow_water::Element;
using shallow_water::Model;
using shallow_water::RunFiles;

constexpr int middle = 4;
constexpr int last = 9;

/// Runs to options.steps, from the checkpoint named in the options, if any.
template <class Real>
Digests run(const Communicator& comm, const Options& options) {
    Model<Real> model(shallow_water::Exec(), comm, options);
    RunFiles<Real> files(comm, options);
    model.initialize();
    files.restart(model);
    EXPECT_EQ(model.steps_done(), options.checkpoints.restart.empty() ? 0 : middle);
    for (;;) {
        files.write_due(model);
        if (model.steps_done() == options.steps) break;
        model.step();
    }
    const auto all = statistics_of(comm, options, model);
    return {all[0].digest, all[1].digest, all[2].digest};
}

Options with_grid(Options options, const std::array<int, 2>& grid, int steps) {
    options.grid_rows = grid[0];
    options.grid_columns = grid[1];
    options.steps = steps;
    return options;
}

class RunFilesTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    }
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("run.h5");
};

TEST_F(RunFilesTest, in_mode_c_any_ranks_and_grid_go_on_with_the_same_bits) {
    const std::vector<std::pair<Exchanges, Cut>> ways{{Exchanges::literal, Cut::strips},
                                                      {Exchanges::fused, Cut::strips},
                                                      {Exchanges::fused, Cut::tiles}};
    const auto fits = [](const Options& options) {
        return options.cut != Cut::tiles ||
               (options.ny / options.grid_rows >= 2 && options.nx / options.grid_columns >= 2);
    };
    for (const auto& [nx, ny] : {std::pair(31, 17), {12, 7}}) {
        const Options plain = small_run(nx, ny, Mode::corrected, Exchanges::fused);
        const Digests expected = digests_after(Communicator(MPI_COMM_SELF), plain, last);
        // Half of the ranks write, so readers have other grids; with few cells, only one way.
        const int writers = std::max(1, world.size() / 2);
        for (std::size_t way = 0; way < (nx > 12 ? ways.size() : 1); ++way) {
            if (const FirstRanks ranks(writers); ranks) {
                Options writing = with_grid(plain, {writers, 1}, middle);
                writing.exchanges = ways[way].first;
                writing.cut = ways[way].second;
                writing.checkpoints.path = path;
                EXPECT_TRUE(fits(writing));
                run<double>(ranks.comm(), writing);
            }
            barrier(world);
            for (const auto& grid : grids(world.size(), nx, ny))
                for (const auto& other : ways) {
                    Options reading = with_grid(plain, grid, last);
                    reading.exchanges = other.first;
                    reading.cut = other.second;
                    reading.checkpoints.restart = path;
                    reading.poison = true;
                    if (!fits(reading)) continue;
                    EXPECT_EQ(run<double>(world, reading), expected)
                        << nx << " x " << ny << " on " << grid[0] << 'x' << grid[1];
                }
        }
    }
}

TEST_F(RunFilesTest, in_mode_p_the_same_grid_goes_on_with_the_same_bits) {
    for (const Exchanges exchanges : {Exchanges::literal, Exchanges::fused})
        for (const auto& grid : grids(world.size(), 24, 13)) {
            const Options options = small_run(24, 13, Mode::published, exchanges);
            const Digests expected = digests_after(world, with_grid(options, grid, last), last);
            Options writing = with_grid(options, grid, middle);
            writing.checkpoints.path = path;
            run<double>(world, writing);
            Options reading = with_grid(options, grid, last);
            reading.checkpoints.restart = path;
            EXPECT_EQ(run<double>(world, reading), expected) << grid[0] << 'x' << grid[1];
        }
}

TEST_F(RunFilesTest, float32_goes_on_from_the_last_of_several) {
    Options options =
        with_grid(small_run(24, 13, Mode::corrected, Exchanges::fused), {world.size(), 1}, middle);
    options.element = Element::float32;
    const Digests expected = digests_after<float>(
        Communicator(MPI_COMM_SELF), small_run(24, 13, Mode::corrected, Exchanges::fused), last);
    options.checkpoints = {path, 2, ""};
    run<float>(world, options);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1"}));
    const auto step_of = [&](const std::string& which) {
        return std::get<std::int64_t>(Checkpoint(world, which).load({}).scalars.at("step"));
    };
    EXPECT_EQ(step_of(path), 4);
    EXPECT_EQ(step_of(path + ".1"), 2);
    options.steps = last;
    options.checkpoints.restart = path;
    EXPECT_EQ(run<float>(world, options), expected);
    EXPECT_EQ(step_of(path), 9);
    EXPECT_EQ(step_of(path + ".1"), 8);
}

TEST_F(RunFilesTest, a_state_that_is_lost_takes_no_checkpoints_place) {
    Options options =
        with_grid(small_run(24, 13, Mode::corrected, Exchanges::fused), {world.size(), 1}, last);
    options.checkpoints = {path, 2, ""};
    Model<double> model(shallow_water::Exec(), world, options);
    RunFiles<double> files(world, options);
    model.initialize();
    for (; model.steps_done() < middle; model.step()) files.write_due(model);
    if (world.rank() == world.size() - 1) {
        const auto h = model.h().view();
        h(h.extent(0) / 2, h.extent(1) / 2) = std::numeric_limits<double>::infinity();
    }
    EXPECT_THROW_ON_ALL_RANKS(files.write_due(model), Error,
                              "expected finite h, u and v after step 4, got infinity or NaN in h");
    const auto step = Checkpoint(world, path).load({}).scalars.at("step");
    EXPECT_EQ(std::get<std::int64_t>(step), 2);
}

TEST_F(RunFilesTest, with_nothing_left_to_do_another_file_gets_the_state) {
    const Options plain = small_run(24, 13, Mode::corrected, Exchanges::fused);
    Options options = with_grid(plain, {world.size(), 1}, middle);
    options.checkpoints.path = path;
    run<double>(world, options);
    // A checkpoint must not overwrite the file it was read from, under any of its names.
    options.checkpoints = {folder.path() + "/./run.h5", 0, path};
    run<double>(world, options);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5"}));
    options.checkpoints = {folder.file("other.h5"), 0, path};
    run<double>(world, options);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"other.h5", "run.h5"}));
    options.steps = last;
    options.checkpoints = {"", 0, folder.file("other.h5")};
    EXPECT_EQ(run<double>(world, options), digests_after(world, plain, last));
}

TEST_F(RunFilesTest, another_run_is_refused_on_all_ranks) {
    Options options =
        with_grid(small_run(24, 13, Mode::corrected, Exchanges::fused), {world.size(), 1}, middle);
    options.checkpoints.path = path;
    run<double>(world, options);
    options.checkpoints = {"", 0, path};
    const auto refused = [&](const Options& asked, const std::string& expected) {
        Model<double> model(shallow_water::Exec(), world, asked);
        RunFiles<double> files(world, asked);
        model.initialize();
        EXPECT_THROW_ON_ALL_RANKS(files.restart(model), UsageError, expected);
    };
    const std::string start = "--restart: expected ";
    Options other = options;
    other.nx = 25;
    refused(other, start + "nx 25 in checkpoint '" + path + "', got 24");
    other = options;
    other.ny = 14;
    refused(other, start + "ny 14 in checkpoint '" + path + "', got 13");
    other = options;
    other.element = Element::float32;
    refused(other, start + "dtype 'float32' in checkpoint '" + path + "', got 'float64'");
    other = options;
    other.mode = Mode::published;
    refused(other, start + "mode 'P' in checkpoint '" + path + "', got 'C'");
    other = options;
    other.steps = middle - 1;
    refused(other, "--restart: expected a checkpoint of step 3 or earlier in '" + path +
                       "', got one of step 4");
    // Checkpoints of another program, and a missing one.
    Checkpoint(world, path).save({}, {{"program", std::string("poisson")}});
    refused(options, start + "program 'shallow_water' in checkpoint '" + path + "', got 'poisson'");
    other = options;
    other.checkpoints.restart = folder.file("none.h5");
    Model<double> model(shallow_water::Exec(), world, other);
    EXPECT_THROW_ON_ALL_RANKS(RunFiles<double>(world, other).restart(model), Error,
                              "No such file or directory");
}

TEST_F(RunFilesTest, in_mode_p_another_grid_is_refused) {
    Options options =
        with_grid(small_run(24, 13, Mode::published, Exchanges::fused), {world.size(), 1}, middle);
    options.checkpoints.path = path;
    run<double>(world, options);
    options.checkpoints = {"", 0, path};
    options.exchanges = Exchanges::literal;
    Model<double> model(shallow_water::Exec(), world, options);
    EXPECT_THROW_ON_ALL_RANKS(RunFiles<double>(world, options).restart(model), UsageError,
                              "expected exchanges 'literal' in checkpoint '" + path +
                                  "', got 'fused'");
    if (world.size() == 1) return;
    options.exchanges = Exchanges::fused;
    options = with_grid(options, {1, world.size()}, last);
    Model<double> columns(shallow_water::Exec(), world, options);
    EXPECT_THROW_ON_ALL_RANKS(RunFiles<double>(world, options).restart(columns), UsageError,
                              "got '" + std::to_string(world.size()) + "x1'");
}

TEST_F(RunFilesTest, the_film_has_steps_and_times) {
    Options options =
        with_grid(small_run(24, 13, Mode::corrected, Exchanges::fused), {world.size(), 1}, last);
    options.cut = world.size() <= 6 ? Cut::tiles : Cut::strips; // alternating arrays
    options.movie_path = folder.file("film.vtkhdf");
    options.movie_every = 4;
    const Digests expected = run<double>(world, options);
    const Hdf5Contents contents = inspect_hdf5(world, options.movie_path);
    const double dt = shallow_water::Parameters().time_step();
    EXPECT_EQ(contents.times, (std::vector<double>{0, 4 * dt, 8 * dt, 9 * dt}));
    ASSERT_EQ(contents.fields.size(), 3U);

    Options reading = options;
    reading.cut = Cut::strips;
    Model<double> model(shallow_water::Exec(), world, reading);
    load_hdf5_step(world, options.movie_path, 3,
                   {{"h", model.h()}, {"u", model.u()}, {"v", model.v()}});
    const auto found = statistics_of(world, options, model);
    EXPECT_EQ((Digests{found[0].digest, found[1].digest, found[2].digest}), expected);
}

} // namespace

} // namespace distview::testing
