// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several unknowns per cell: a cell's rows follow each other, and assemble() also works for systems of equations.
#include "elasticity.hpp"

#include <distview_testing/assertions.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::testing {

namespace {

template <int Dim>
void expect_the_dense_matrix(const typename ElasticBar<Dim>::Node& n) {
    const ElasticBar<Dim> bar(Communicator(MPI_COMM_WORLD), n, Dim);
    const auto expected = bar.dense();
    const MatrixRows matrix = bar.assembled();
    ASSERT_ON_ALL_RANKS(matrix.local_rows() == bar.rows.local_rows());
    for (std::int64_t r = 0; r < matrix.local_rows(); ++r) {
        const std::int64_t row = bar.rows.row_of_cell(r);
        const auto [node, c] = bar.at(row);
        EXPECT_EQ(row % Dim, c);
        std::vector<double> found(expected.size());
        for (std::int64_t e = matrix.offsets[static_cast<std::size_t>(r)];
             e < matrix.offsets[static_cast<std::size_t>(r) + 1]; ++e) {
            const auto [other, d] = bar.at(matrix.columns[static_cast<std::size_t>(e)]);
            found[bar.number(other, d)] = matrix.values[static_cast<std::size_t>(e)];
        }
        const auto& known = expected[bar.number(node, c)];
        for (std::size_t m = 0; m < known.size(); ++m) EXPECT_NEAR(found[m], known[m], 1e-14);
    }
}

} // namespace

TEST(Unknowns, RowsOfACellFollowEachOther) {
    const Communicator comm(MPI_COMM_WORLD);
    const ProcessGrid grid{1, comm.size(), 1};
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(comm.size()));
    for (std::int64_t j = 0; j < 7; ++j)
        lists[static_cast<std::size_t>(j * j % comm.size())].push_back(j);
    for (const AxisSpec& axis : {block(7), block_cyclic(7, 2), unstructured(lists, true)}) {
        const RowNumbering rows(comm, {grid, {block(3), axis, block(3)}}, {.unknowns_per_cell = 3});
        EXPECT_EQ(rows.unknowns_per_cell(), 3);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 7; ++j) {
                const std::int64_t first = rows.row(GlobalIndex(i), GlobalIndex(j), GlobalIndex(0));
                EXPECT_EQ(first % 3, 0);
                for (int c = 0; c < 3; ++c)
                    EXPECT_EQ(rows.row(GlobalIndex(i), GlobalIndex(j), GlobalIndex(c)), first + c);
            }
    }
    EXPECT_EQ(RowNumbering(comm, {grid, {block(3), block(7), block(3)}}).unknowns_per_cell(), 1);
}

TEST(Unknowns, ElasticityIsThatOfItsElements) {
    expect_the_dense_matrix<2>({7, 5});
    expect_the_dense_matrix<3>({4, 3, 3});
    expect_the_dense_matrix<2>({1, 2}); // some ranks have no rows
}

TEST(Unknowns, WrongNumbersAreOneErrorOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout pairs(ProcessGrid{comm.size(), 1}, {block(9), block(2)});
    const auto number = [&](const ArrayLayout& layout, int unknowns) {
        return RowNumbering(comm, layout, {.unknowns_per_cell = unknowns});
    };
    EXPECT_THROW_ON_ALL_RANKS(number(pairs, 3), UsageError,
                              "RowNumbering: expected a last axis of 3 indices on one process");
    EXPECT_THROW_ON_ALL_RANKS(number(pairs, 0), UsageError, "at least 1 unknown per cell, got 0");
    if (comm.size() == 1) return;
    const ArrayLayout split(ProcessGrid{1, comm.size()}, {block(9), block(2)});
    EXPECT_THROW_ON_ALL_RANKS(number(split, 2), UsageError, "a last axis of 2 indices on one");
    EXPECT_THROW_ON_ALL_RANKS(number(pairs, comm.rank() == 0 ? 2 : 1), UsageError,
                              "unknowns_per_cell is");
}

} // namespace distview::testing
