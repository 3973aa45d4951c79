// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tpetra's vectors use the DistViews' memory; maps have the rows of their RowNumbering or list.
#include "flow_problem.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

ArrayLayout plane_layout(const Widths& padding = {}) {
    return {ProcessGrid{1, rank_count()},
            {block(5, {.padding = padding}), block(4 * rank_count() + 1, {.padding = padding})}};
}

TEST(Vectors, AreTheArraysMemory) {
    const Exec exec;
    const Communicator comm = world();
    const RowNumbering rows(comm, plane_layout());
    const tpetra::Map map(rows);
    const auto u = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(
        exec, "u", comm, rows.layout());
    KokkosEvents events;
    const tpetra::MultiVector x(map, u);
    EXPECT_EQ(tpetra::rcp(x)->getLocalViewHost(Tpetra::Access::ReadOnly).data(), u.view().data());
    EXPECT_EQ(tpetra::rcp(x)->getLocalViewDevice(Tpetra::Access::ReadWrite).data(),
              u.view().data());
    events.stop();
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.deep_copies());
    EXPECT_EQ(x.data(), u.view().data());
    EXPECT_EQ(x.columns(), 1);
    EXPECT_TRUE(x.map() == map);

    tpetra::rcp(x)->putScalar(3.5);
    for (std::size_t i = 0; i < u.view().extent(0); ++i)
        for (std::size_t j = 0; j < u.view().extent(1); ++j) EXPECT_EQ(u.view()(i, j), 3.5);
    u.view()(1, 2) = -7;
    EXPECT_EQ(tpetra::rcp(x)->getLocalViewHost(Tpetra::Access::ReadOnly)(u.view().extent(1) + 2, 0),
              -7);
}

TEST(Vectors, KeepTheMemory) {
    const Exec exec;
    const Communicator comm = world();
    const tpetra::Map map(comm, 3);
    auto u = make_dist_view<double*, Exec::memory_space>(
        exec, "u", comm, ArrayLayout(ProcessGrid{comm.size()}, {block(3 * comm.size())}));
    const tpetra::MultiVector x(map, u);
    u.view()(2) = 8;
    u = {};
    EXPECT_EQ(x.data()[2], 8);
    EXPECT_EQ(tpetra::rcp(x)->getVector(0)->normInf(), 8);
}

/// One cell on the first rank, none on the last of several ranks, four on each of the others.
AxisSpec few_cells() {
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < rank_count(); ++p)
        bounds.push_back(p > 0 && p == rank_count() - 1 ? bounds.back() : 4 * p + 1);
    return block_bounds(bounds);
}

template <class Memory>
void expect_fields(bool first, const AxisSpec& cells) {
    const Exec exec;
    const Communicator comm = world();
    const AxisSpec fields = block(3);
    const ArrayLayout layout = first ? ArrayLayout(ProcessGrid{1, comm.size()}, {fields, cells})
                                     : ArrayLayout(ProcessGrid{comm.size(), 1}, {cells, fields});
    const auto u = make_dist_view<double**, Memory, Exec::memory_space>(exec, "u", comm, layout);
    const tpetra::Map map(RowNumbering(comm, ArrayLayout(ProcessGrid{comm.size()}, {cells})));
    // With a RowNumbering, fields must be the first axis; with a number of rows, they may also be the last axis.
    const tpetra::MultiVector x(first ? map : tpetra::Map(comm, map.local_size()), u);
    ASSERT_ON_ALL_RANKS(x.columns() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        if (map.local_size() == 0) {
            tpetra::rcp(x)->getVectorNonConst(k)->putScalar(0);
            continue;
        }
        const double* const begin = first ? &u.view()(k, 0) : &u.view()(0, k);
        EXPECT_EQ(x.data(static_cast<int>(k)), begin);
        EXPECT_EQ(tpetra::rcp(x)->getVector(k)->getLocalViewHost(Tpetra::Access::ReadOnly).data(),
                  begin);
        tpetra::rcp(x)->getVectorNonConst(k)->putScalar(static_cast<double>(k) + 1);
    }
    for (std::size_t k = 0; k < 3; ++k)
        for (std::int64_t c = 0; c < map.local_size(); ++c)
            EXPECT_EQ(first ? u.view()(k, static_cast<std::size_t>(c))
                            : u.view()(static_cast<std::size_t>(c), k),
                      static_cast<double>(k) + 1);
}

TEST(Vectors, FieldsAreColumns) {
    for (const AxisSpec& cells : {block(6 * rank_count() - 1), few_cells()}) {
        expect_fields<Kokkos::LayoutRight>(true, cells);
        expect_fields<Kokkos::LayoutLeft>(false, cells);
    }
}

// If an axis has at most one element, strides do not show the order of the axes.
TEST(Vectors, RanksWithFewCells) {
    const Exec exec;
    const Communicator comm = world();
    const RowNumbering rows(comm,
                            ArrayLayout(ProcessGrid{1, comm.size()}, {block(3), few_cells()}));
    const auto u = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(
        exec, "u", comm, rows.layout());
    const tpetra::MultiVector x(tpetra::Map(rows), u);
    tpetra::rcp(x)->putScalar(2);
    for (std::size_t n = 0; n < u.view().size(); ++n) EXPECT_EQ(u.view().data()[n], 2);
}

// The stride between columns is larger than a column.
TEST(Vectors, FieldsWithPaddingBetween) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{1, comm.size()},
                             {block(3), block(5 * comm.size(), {.padding = 2})});
    const auto u =
        make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(exec, "u", comm, layout);
    const tpetra::MultiVector x(tpetra::Map(comm, 5), u);
    ASSERT_ON_ALL_RANKS(x.columns() == 3);
    const auto first = static_cast<std::size_t>(u.interior_range(1).begin.value());
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(x.data(static_cast<int>(k)), &u.view()(k, first));
        tpetra::rcp(x)->getVectorNonConst(k)->putScalar(static_cast<double>(k) + 1);
    }
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < u.view().extent(1); ++l)
            EXPECT_EQ(u.view()(k, l), l >= first && l < first + 5 ? static_cast<double>(k) + 1 : 0);
}

TEST(Vectors, PaddingOfOneAxis) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(5 * comm.size(), {.padding = 2})});
    const auto u = make_dist_view<double*, Exec::memory_space>(exec, "u", comm, layout);
    const tpetra::MultiVector x(tpetra::Map(comm, 5), u);
    EXPECT_EQ(x.data(), &u.view()(static_cast<std::size_t>(u.interior_range(0).begin.value())));
    tpetra::rcp(x)->putScalar(1);
    double sum = 0;
    for (std::size_t l = 0; l < u.view().extent(0); ++l) sum += u.view()(l);
    EXPECT_EQ(sum, 5);
}

TEST(Vectors, WrongUse) {
    const Exec exec;
    const Communicator comm = world();
    const RowNumbering rows(comm, plane_layout());
    const tpetra::Map map(rows), plain(comm, rows.local_rows());
    const auto padded = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(
        exec, "padded", comm, plane_layout(1));
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::MultiVector(map, padded), ShapeError,
        "tpetra::MultiVector: expected an array without padding, with the layout of");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::MultiVector(plain, padded), ShapeError,
        "tpetra::MultiVector: expected the elements of 'padded' contiguous in "
        "memory, got a stride of");
    const auto left = make_dist_view<double**, Kokkos::LayoutLeft, Exec::memory_space>(
        exec, "left", comm, plane_layout());
    EXPECT_THROW_ON_ALL_RANKS(tpetra::MultiVector(map, left), ShapeError,
                              "tpetra::MultiVector: expected 'left' in C order (LayoutRight)");
    EXPECT_NO_THROW(tpetra::MultiVector(plain, left));
    const auto u = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(
        exec, "u", comm, plane_layout());
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::MultiVector(tpetra::Map(comm, rows.local_rows() + (comm.rank() == 0)), u),
        ShapeError, "elements of 'u' on this process, one for each row of the map, got");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Map(comm, comm.rank() == 0 ? -1 : 3), UsageError,
        "tpetra::Map: expected a number of rows that is not negative, got -1");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Map(comm, std::int64_t(1) << 40), UsageError,
                              "rows on a rank, the limit of Tpetra's local ordinal, got");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Map(comm, std::vector<std::int64_t>{-4}), UsageError,
                              "tpetra::Map: expected rows that are not negative, got -4");
    const tpetra::MultiVector x(map, u);
    EXPECT_THROW_ON_ALL_RANKS(x.data(1), UsageError,
                              "tpetra::MultiVector::data: expected a column in [0, 1), got 1");
    EXPECT_THROW(map.row(-1), UsageError);
    EXPECT_THROW(map.row(map.local_size()), UsageError);
}

TEST(Vectors, OtherCommunicator) {
    if (rank_count() == 1) return;
    const Exec exec;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &half);
    const Communicator comm = world(), part(half);
    const auto u = make_dist_view<double*, Exec::memory_space>(
        exec, "u", part, ArrayLayout(ProcessGrid{part.size()}, {block(2 * part.size())}));
    EXPECT_THROW_ON_ALL_RANKS(tpetra::MultiVector(tpetra::Map(comm, 2), u), UsageError,
                              "tpetra::MultiVector: expected the section of process 0 of " +
                                  std::to_string(rank_count()) +
                                  ", got the section of process 0 of ");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::make_map(comm, tpetra::rcp(tpetra::Map(part, 2))), UsageError,
        "tpetra::make_map: expected a map over the ranks of the communicator");
    MPI_Comm_free(&half);
}

TEST(Maps, NumberRowsAsTheNumberingDoes) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        const FlowProblem problem = random_problem(random);
        const tpetra::Map& map = problem.map;
        EXPECT_EQ(map.size(), problem.rows.rows());
        ASSERT_ON_ALL_RANKS(map.local_size() == problem.rows.local_rows());
        for (std::int64_t n = 0; n < map.local_size(); ++n) {
            EXPECT_EQ(map.row(n), problem.rows.row_of_cell(n));
            EXPECT_EQ(map.position(map.row(n)), n);
        }
        EXPECT_EQ(map.position(map.size()), -1);
        EXPECT_TRUE(map == tpetra::make_map(problem.comm, tpetra::rcp(map)));
    });
}

TEST(Maps, GiveUnstructuredLayouts) {
    const Exec exec;
    const Communicator comm = world();
    // Every other row, in descending order; rank 1 has no rows.
    std::vector<std::int64_t> mine;
    if (comm.rank() != 1)
        for (std::int64_t r = 4; r >= 0; --r) mine.push_back(2 * (5 * comm.rank() + r));
    const tpetra::Map map(comm, mine);
    const GhostedLayout made = map.ghosted_layout();
    const auto u = make_dist_view<double*, Exec::memory_space>(exec, "u", comm, made.layout);
    ASSERT_ON_ALL_RANKS(u.view().extent(0) == mine.size());
    for (std::size_t l = 0; l < mine.size(); ++l)
        EXPECT_EQ(u.global_index(0, LocalIndex(l)).value(), mine[l]);
    EXPECT_EQ(made.layout.size(), map.size());
    const tpetra::MultiVector x(map, u);
    EXPECT_EQ(x.data(), u.view().data());
}

} // namespace

} // namespace distview::testing
