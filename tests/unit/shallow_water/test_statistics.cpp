// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"
#include "statistics.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <limits>
#include <vector>

namespace distview::testing {

namespace {

using shallow_water::Statistics;

constexpr int rows = 2;
constexpr int columns = 3;

/// Statistics of cells with distinct values, two rows on each rank, except one cell of one rank, which has `value`.
Statistics statistics_with(double value, int of_rank, int cell) {
    const Communicator world(MPI_COMM_WORLD);
    shallow_water::Section section;
    section.ny = rows;
    section.nx = columns;
    section.first_row = rows * world.rank();
    std::vector<double> cells;
    for (int i = 0; i < rows * columns; ++i) cells.push_back(rows * columns * world.rank() + i);
    if (world.rank() == of_rank) cells[static_cast<std::size_t>(cell)] = value;
    return shallow_water::statistics(world, section, columns,
                                     shallow_water::Field<double>{cells.data(), columns});
}

TEST(StatisticsTest, of_numbers) {
    const int size = Communicator(MPI_COMM_WORLD).size();
    const Statistics found = statistics_with(-1, size - 1, 2);
    EXPECT_EQ(found.min, -1);
    EXPECT_EQ(found.max, rows * columns * size - 1);
    EXPECT_TRUE(found.is_finite());
}

TEST(StatisticsTest, a_nan_anywhere_shows_on_all_ranks) {
    for (int of_rank = 0; of_rank < Communicator(MPI_COMM_WORLD).size(); ++of_rank)
        for (int cell = 0; cell < rows * columns; ++cell) {
            const Statistics found =
                statistics_with(std::numeric_limits<double>::quiet_NaN(), of_rank, cell);
            EXPECT_TRUE(std::isnan(found.min)) << "cell " << cell << " of rank " << of_rank;
            EXPECT_TRUE(std::isnan(found.max)) << "cell " << cell << " of rank " << of_rank;
            EXPECT_TRUE(std::isnan(found.sum)) << "cell " << cell << " of rank " << of_rank;
            EXPECT_FALSE(found.is_finite()) << "cell " << cell << " of rank " << of_rank;
        }
}

TEST(StatisticsTest, a_run_whose_last_state_is_not_finite_has_failed) {
    shallow_water::StepReport last;
    last.step = 7;
    last.fields.fill(statistics_with(0, 0, 0));
    EXPECT_NO_THROW(shallow_water::require_finite(last));
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::infinity()}) {
        last.fields[1] = statistics_with(value, 0, 4);
        EXPECT_THROW_ON_ALL_RANKS(
            shallow_water::require_finite(last), Error,
            "expected finite h, u and v after step 7, got infinity or NaN in u");
    }
}

} // namespace

} // namespace distview::testing
