// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_run.hpp"

#include <distview/comm/collectives.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace distview::testing {

namespace {

using Json = nlohmann::json;

const Json& reference() {
    static const Json cases = [] {
        std::ifstream in(DISTVIEW_TEST_DATA "/shallow_water_checksums.json");
        return Json::parse(in).at("cases");
    }();
    return cases;
}

/// The sums of absolute values for `sum` and `wsum`: the scale of their rounding errors.
struct SumsOfSizes {
    double plain = 0;
    double weighted = 0;
};

SumsOfSizes sums_of_sizes(const Communicator& comm, const Options& options,
                          const shallow_water::Section& section,
                          const shallow_water::Field<double>& field) {
    std::array<double, 2> sums{};
    for (int j = 0; j < section.ny; ++j)
        for (int i = 0; i < section.nx; ++i) {
            const std::int64_t cell =
                (section.first_row + j) * options.nx + section.first_column + i;
            sums[0] += std::abs(field(j, i));
            sums[1] += std::abs(field(j, i)) * static_cast<double>(cell % 1009 + 1);
        }
    all_reduce(comm, ReduceOperation::sum, std::span<double>(sums));
    return {sums[0], sums[1]};
}

/// Compares with a case of the reference at all its steps up to `last`.
void compare(const Communicator& comm, const Options& options, const std::string& name,
             std::int64_t last) {
    SCOPED_TRACE(name);
    const Json& steps = reference().at(name);
    shallow_water::Model<double> model(shallow_water::Exec(), comm, options);
    model.initialize();
    int compared = 0;
    for (;; model.step()) {
        const auto expected = steps.find(std::to_string(model.steps_done()));
        if (expected != steps.end()) {
            const auto mine = statistics_of(comm, options, model);
            const std::array fields{model.h(), model.u(), model.v()};
            for (std::size_t f = 0; f < 3; ++f) {
                const Json& truth = expected->at(std::string(1, "huv"[f]));
                const double l2 = truth.at("l2");
                const SumsOfSizes sizes =
                    sums_of_sizes(comm, options, model.section(), model.field(fields[f]));
                EXPECT_NEAR(mine[f].sum, truth.at("sum"), 1e-11 * sizes.plain);
                EXPECT_NEAR(mine[f].wsum, truth.at("wsum"), 1e-11 * sizes.weighted);
                EXPECT_NEAR(mine[f].l2, l2, 1e-11 * l2);
                EXPECT_NEAR(mine[f].min, truth.at("min"), 1e-11);
                EXPECT_NEAR(mine[f].max, truth.at("max"), 1e-11);
                ++compared;
            }
        }
        if (model.steps_done() == last) break;
    }
    EXPECT_GE(compared, 9);
}

TEST(ReferenceTest, mode_c) {
    const Communicator world(MPI_COMM_WORLD);
    compare(world, small_run(96, 48, Mode::corrected, Exchanges::fused), "96x48_C_1x1_float64",
            2000);
    compare(world, small_run(61, 37, Mode::corrected, Exchanges::literal), "61x37_C_1x1_float64",
            500);
    compare(world, small_run(360, 180, Mode::corrected, Exchanges::fused), "360x180_C_1x1_float64",
            100);
}

TEST(ReferenceTest, mode_p_on_the_grids_that_have_a_reference) {
    const Communicator world(MPI_COMM_WORLD);
    const auto run = [&](int rows, int columns, Exchanges exchanges, const std::string& name,
                         std::int64_t nx, std::int64_t ny, std::int64_t last) {
        Options options = small_run(nx, ny, Mode::published, exchanges);
        options.grid_rows = rows;
        options.grid_columns = columns;
        compare(world, options, name, last);
    };
    if (world.size() == 1) {
        run(1, 1, Exchanges::fused, "96x48_P_1x1_float64", 96, 48, 1000);
        run(1, 1, Exchanges::literal, "96x48_P_1x1_float64", 96, 48, 100);
        run(1, 1, Exchanges::fused, "360x180_P_1x1_float64", 360, 180, 100);
    }
    if (world.size() == 4) {
        run(2, 2, Exchanges::fused, "96x48_P_2x2_float64", 96, 48, 1000);
        run(2, 2, Exchanges::literal, "96x48_P_2x2_float64", 96, 48, 100);
        run(2, 2, Exchanges::fused, "360x180_P_2x2_float64", 360, 180, 100);
    }
}

TEST(ReferenceTest, float32_is_close_to_float64) {
    const Communicator world(MPI_COMM_WORLD);
    const Options options = small_run(96, 48, Mode::corrected, Exchanges::fused);
    shallow_water::Model<float> model(shallow_water::Exec(), world, options);
    model.initialize();
    while (model.steps_done() < 100) model.step();
    const auto mine = statistics_of(world, options, model);
    const Json& truth = reference().at("96x48_C_1x1_float64").at("100");
    const std::array<double, 3> tolerance{1e-6, 1e-5, 1e-4};
    for (std::size_t f = 0; f < 3; ++f) {
        const double l2 = truth.at(std::string(1, "huv"[f])).at("l2");
        EXPECT_NEAR(mine[f].l2, l2, tolerance[f] * l2);
    }
}

} // namespace

} // namespace distview::testing
