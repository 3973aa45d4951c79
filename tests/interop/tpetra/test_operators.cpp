// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembled matrices and matrix-free operators give the same products with random vectors.
#include "flow_problem.hpp"

#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

TEST(Operators, AssembledAndMatrixFree) {
    for_each_case(60, [](Random& random, std::uint64_t number) {
        FlowProblem problem = random_problem(random);
        const Plane x = problem.make("x"), free = problem.make("free"),
                    assembled = problem.make("assembled");
        problem.each(x, [&](std::size_t l, std::size_t m, std::int64_t i, std::int64_t j) {
            Random cell(number + 1, static_cast<std::uint64_t>(i * 1000 + j));
            x.view()(l, m) = cell.unit() - 0.5;
        });
        const tpetra::MultiVector vx(problem.map, x), vf(problem.map, free),
            va(problem.map, assembled);
        const auto op =
            tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil());
        const tpetra::Matrix matrix(problem.map, problem.assembled());
        tpetra::rcp(op)->apply(*tpetra::rcp(vx), *tpetra::rcp(vf));
        tpetra::rcp(matrix)->apply(*tpetra::rcp(vx), *tpetra::rcp(va));
        double worst = 0;
        problem.each(x, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
            worst = std::max(worst, std::abs(free.view()(l, m) - assembled.view()(l, m)));
        });
        // Relative to the terms of a sum: 8 products of coefficients up to 17 / 7 and elements up to 1 / 2.
        EXPECT_LE(worst, 1e-14 * 8 * 17 / 7 / 2);
    });
}

TEST(Operators, AlphaAndBetaAndColumns) {
    FlowProblem problem({{9, 7}, {Sides::walls, Sides::neumann}}, {rank_count(), 1},
                        {block(9, {.padding = 1}), block(7, {.padding = 1})});
    const auto op = tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil());
    const tpetra::Matrix matrix(problem.map, problem.assembled());
    Tpetra::MultiVector<double> x(tpetra::rcp(problem.map), 3), y(tpetra::rcp(problem.map), 3);
    x.randomize();
    y.randomize();
    Tpetra::MultiVector<double> z(y, Teuchos::Copy);
    tpetra::rcp(op)->apply(x, y, Teuchos::NO_TRANS, 2.5, -0.5);
    tpetra::rcp(matrix)->apply(x, z, Teuchos::NO_TRANS, 2.5, -0.5);
    y.update(-1, z, 1);
    std::vector<double> norms(3);
    y.normInf(Teuchos::arrayViewFromVector(norms));
    for (const double norm : norms) EXPECT_LE(norm, 1e-13);
    z.normInf(Teuchos::arrayViewFromVector(norms));
    for (const double norm : norms) EXPECT_GT(norm, 0.1);
}

TEST(Operators, FunctionOfArrays) {
    FlowProblem problem({{9, 7}, {Sides::walls, Sides::walls}}, {1, rank_count()},
                        {block(9, {.padding = 1}), block(7, {.padding = 1})});
    const auto twice = tpetra::make_operator<double**>(
        problem.exec, problem.map, [](const auto& exec, const auto& x, const auto& y) {
            const auto from = x.view();
            const auto to = y.view();
            for_each(exec, y, [=](int i, int j) { to(i, j) = 2 * from(i, j); });
        });
    const Plane x = problem.make("x"), y = problem.make("y");
    problem.fill(x);
    const tpetra::MultiVector vx(problem.map, x), vy(problem.map, y);
    tpetra::rcp(twice)->apply(*tpetra::rcp(vx), *tpetra::rcp(vy));
    problem.each(x, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        EXPECT_EQ(y.view()(l, m), 2 * x.view()(l, m));
    });
}

TEST(Operators, WrongMatrices) {
    const Communicator comm = world();
    const tpetra::Map map(comm, 2);
    const bool last = comm.rank() == comm.size() - 1;
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Matrix(map, {0, 1}, {0}, {1.0}), ShapeError,
                              "tpetra::Matrix: expected 3 elements in begin for 2 rows, got 2");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Matrix(map, {0, 1, 1}, {last ? 2 * comm.size() : 0}, {1.0}), UsageError,
        "tpetra::Matrix: expected columns that are rows of the map, from 0 to " +
            std::to_string(2 * comm.size() - 1) + ", got column " +
            std::to_string(2 * comm.size()));
    // A map of every other row.
    const std::int64_t first = 4 * comm.rank();
    const tpetra::Map gaps(comm, std::vector<std::int64_t>{first, first + 2});
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Matrix(gaps, {0, 1, 2}, {last ? 1 : 0, first + 2}, {1, 1}), UsageError,
        "tpetra::Matrix: expected columns that are rows of the map, got column 1");
    EXPECT_EQ(tpetra::Matrix(gaps, {0, 1, 2}, {0, first + 2}, {1, 1}).local_entries(), 2);
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Matrix(map, {0, 2, 1}, {0}, {1.0}), ShapeError,
        "tpetra::Matrix: expected ascending elements in begin, got 2 before 1 at row 1");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Matrix(map, {0, 1, 1}, {0}, {}), ShapeError,
        "tpetra::Matrix: expected equally many columns and values, got 1 columns and 0 values");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Matrix(map, {0, 0, 1}, {0, 1}, {1, 2}), ShapeError,
                              "tpetra::Matrix: expected elements from 0 to 2, the number of "
                              "values, in begin, got 0 to 1");
    FlowProblem problem({{9, 7}, {Sides::walls, Sides::walls}}, {1, rank_count()},
                        {block(9, {.padding = 1}), block(7, {.padding = 1})});
    const tpetra::Map other(RowNumbering(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(63)})));
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Matrix(other, problem.assembled()), UsageError,
                              "tpetra::Matrix: expected rows with the numbering of the map");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::make_operator<double**>(problem.exec, map, problem.stencil()), UsageError,
        "tpetra::Map::numbering: expected a map made from a RowNumbering, got a map without one");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::make_operator<double**>(
            problem.exec,
            tpetra::Map(
                RowNumbering(comm, ArrayLayout(ProcessGrid{1, comm.size()}, {block(9), block(8)}))),
            problem.stencil()),
        UsageError,
        "tpetra::make_operator: expected a stencil whose plan has the numbering's layout");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::make_operator<double*>(problem.exec, problem.map,
                                       [](const auto&, const auto&, const auto&) {}),
        ShapeError,
        "tpetra::make_operator: expected a DataType of 2 axes (the numbering's layout), got 1");
}

} // namespace

} // namespace distview::testing
