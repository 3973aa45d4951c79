// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares rows of random layouts with a count of the cells, one process after the other.
#include "numbered_layouts.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/interop/row_numbering.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <set>
#include <string>

namespace distview::testing {

namespace {

std::array<GlobalIndex, max_rank> padded(const Cell& cell) {
    std::array<GlobalIndex, max_rank> indices{};
    for (std::size_t d = 0; d < cell.size(); ++d) indices[d] = GlobalIndex(cell[d]);
    return indices;
}

} // namespace

TEST(RowNumbering, ByRankIsCountingCells) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_numbered_layout(random, comm.size(), true);
        const RowNumbering rows(comm, layout);
        const auto counted = counted_rows(layout);
        EXPECT_EQ(rows.rows(), static_cast<std::int64_t>(counted.size()));
        EXPECT_TRUE(rows.is_contiguous());
        for (const auto& [cell, row] : counted) {
            EXPECT_EQ(rows.row(std::span<const GlobalIndex>(indices_of(cell))), row)
                << layout.describe();
            EXPECT_EQ(rows.index(row), padded(cell)) << layout.describe();
            EXPECT_EQ(rows.owner(row), layout.owner(indices_of(cell))) << layout.describe();
        }
        std::int64_t first = 0;
        for (int p = 0; p < comm.size(); ++p) {
            EXPECT_EQ(rows.first_row(p), first);
            first += rows.local_rows(p);
        }
        std::int64_t cell_number = 0;
        const auto numbers = rows.local_row_numbers();
        for_each_cell_of(layout, comm.rank(), [&](const Cell& cell) {
            EXPECT_EQ(numbers[static_cast<std::size_t>(cell_number++)], counted.at(cell));
        });
        EXPECT_EQ(rows.local_rows(), cell_number);
    });
}

TEST(RowNumbering, GlobalOrderIsThatOfTheArray) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_numbered_layout(random, comm.size(), false);
        const RowNumbering rows(comm, layout, RowOrder::global);
        const RowNumbering by_rank(comm, layout);
        if (rows.is_contiguous()) {
            EXPECT_EQ(rows.local_row_numbers(), by_rank.local_row_numbers());
        }
        const auto numbers = rows.local_row_numbers();
        std::size_t at = 0;
        for_each_cell_of(layout, comm.rank(), [&](const Cell& cell) {
            std::int64_t row = 0;
            for (int d = 0; d < layout.rank(); ++d)
                row = row * layout.extent(d) + cell[static_cast<std::size_t>(d)];
            EXPECT_EQ(numbers[at++], row);
            EXPECT_EQ(rows.row(std::span<const GlobalIndex>(indices_of(cell))), row);
            EXPECT_EQ(rows.index(row), padded(cell));
            EXPECT_EQ(rows.owner(row), comm.rank()) << layout.describe();
        });
    });
}

TEST(RowNumbering, PaddingMakesNoDifference) {
    const Communicator comm(MPI_COMM_WORLD);
    const ProcessGrid grid = ProcessGrid::balanced(comm.size(), 2);
    const BlockOptions wide{.padding = {2, 1}, .boundary = Widths{1, 3}, .periodic = true};
    const ArrayLayout padded_layout(grid, {block(13, wide), block(17, wide)});
    const ArrayLayout bare(grid, {block(13, {.periodic = true}), block(17, {.periodic = true})});
    EXPECT_EQ(without_padding(padded_layout), bare);
    const RowNumbering rows(comm, padded_layout), same(comm, bare);
    EXPECT_EQ(rows.layout(), bare);
    EXPECT_EQ(rows.local_row_numbers(), same.local_row_numbers());
    EXPECT_EQ(rows.row(GlobalIndex(12), GlobalIndex(3)), same.row(GlobalIndex(12), GlobalIndex(3)));
    EXPECT_EQ(rows.row(GlobalIndex(13), GlobalIndex(3)), -1);
    EXPECT_EQ(rows.row(GlobalIndex(12), GlobalIndex(-1)), -1);
}

// Each rank knows only its own labels and ghosts: the owners supply the rows of the ghosts.
TEST(RowNumbering, LabelsKnownInPart) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(20, [&](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(comm.size(), 60);
        std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(comm.size()));
        std::vector<std::int64_t> labels;
        for (std::int64_t i = 0; i < n; ++i) labels.push_back(i * 3 - 30);
        random.shuffle(labels);
        for (const std::int64_t label : labels)
            lists[static_cast<std::size_t>(random.integer(0, comm.size()))].push_back(label);
        std::vector<std::int64_t> needed;
        for (std::int64_t k = random.integer(0, 20) * (comm.rank() % 2 + 1); k > 0; --k)
            needed.push_back(labels[static_cast<std::size_t>((k * 7 + comm.rank()) % n)]);

        const auto& mine = lists[static_cast<std::size_t>(comm.rank())];
        const GhostedLayout ghosted = make_ghosted_layout(comm, mine, needed);
        const RowNumbering rows(comm, ghosted.layout);
        const RowNumbering all(comm,
                               ArrayLayout(ProcessGrid{comm.size()}, {unstructured(lists, true)}));
        EXPECT_EQ(rows.local_row_numbers(), all.local_row_numbers());
        for (const std::int64_t label : needed)
            EXPECT_EQ(rows.row(GlobalIndex(label)), all.row(GlobalIndex(label)));
        for (const std::int64_t label : mine)
            EXPECT_EQ(rows.index(rows.row(GlobalIndex(label)))[0], label);
        EXPECT_EQ(rows.row(GlobalIndex(1)), -1);
    });
}

TEST(RowNumbering, OwnersOfLabelsKnownInPart) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t mine = comm.rank(), next = (comm.rank() + 1) % comm.size();
    const RowNumbering rows(
        comm,
        ArrayLayout(ProcessGrid{comm.size()},
                    {unstructured_local(comm.size(), comm.rank(), {mine}, true)}),
        RowOrder::global);
    EXPECT_EQ(rows.owner(mine), comm.rank());
    if (next != mine) {
        EXPECT_EQ(rows.owner(next), -1);
    }
}

TEST(RowNumbering, SectionsOfAnImport) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(30, [&](Random& random, std::uint64_t) {
        Random again = random;
        const ArrayLayout known = random_numbered_layout(random, comm.size(), true);
        const ArrayLayout mine = random_numbered_layout(again, comm.size(), true, comm.rank());
        EXPECT_EQ(RowNumbering(comm, mine).local_row_numbers(),
                  RowNumbering(comm, known).local_row_numbers());
    });
}

TEST(RowNumberingErrors, AreTheSameOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout too_many(ProcessGrid{comm.size() + 1}, {block(40)});
    EXPECT_THROW_ON_ALL_RANKS(RowNumbering(comm, too_many), UsageError, "expected a layout over");
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(comm.size()));
    for (int p = 0; p < comm.size(); ++p) lists[static_cast<std::size_t>(p)] = {p + 5};
    const ArrayLayout labelled(ProcessGrid{comm.size()}, {unstructured(lists, true)});
    EXPECT_THROW_ON_ALL_RANKS(RowNumbering(comm, labelled, RowOrder::global), LayoutError,
                              "expected labels from 0 to");
    const RowNumbering rows(comm, labelled);
    EXPECT_THROW(rows.index(rows.rows()), UsageError);
    EXPECT_THROW(rows.owner(-1), UsageError);
    if (comm.size() == 1) return;
    for (auto& list : lists) list.push_back(99);
    const ArrayLayout shared(ProcessGrid{comm.size()}, {unstructured(lists)});
    EXPECT_THROW_ON_ALL_RANKS(RowNumbering(comm, shared), LayoutError,
                              "RowNumbering: expected each label of axis 0 on one process, got " +
                                  std::to_string(comm.size() + 1) + " different labels for " +
                                  std::to_string(2 * comm.size()) + " elements");
    // As many labels as elements, but one label occurs twice, and each rank knows only its own labels.
    const ArrayLayout twice(
        ProcessGrid{comm.size()},
        {unstructured_local(comm.size(), comm.rank(), {comm.rank() == 1 ? 0 : comm.rank()}, true)});
    EXPECT_THROW_ON_ALL_RANKS(
        RowNumbering(comm, twice), UsageError,
        "expected each index to have one owner, got 0 owned by processes 0 and 1");
    const ArrayLayout differs(ProcessGrid{comm.size()}, {block(comm.rank() == 1 ? 41 : 40)});
    EXPECT_THROW_ON_ALL_RANKS(RowNumbering(comm, differs), UsageError, "layout");
    const ArrayLayout cyclic_one(ProcessGrid{comm.size()}, {cyclic(40)});
    EXPECT_THROW(RowNumbering(comm, cyclic_one, RowOrder::global).first_row(), UsageError);
}

} // namespace distview::testing
