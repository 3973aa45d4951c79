// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with_local_copy() for routines in Fortran 77, with layouts of every kind.
#include "matrices.hpp"

#include <distview/algorithms/with_local_copy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

// fortran/callees.f
extern "C" {
void dvcums_(const int* m, const int* n, double* a);
void dvrows_(const int* m, const int* n, const double* a, const int* lda, double* rows);
void dvuppr_(const int* m, const int* n, double* a, const int* lda);
}

namespace distview::testing {

namespace {

int to_int(std::int64_t n) { return static_cast<int>(n); }

} // namespace

// A routine that needs its matrix without a leading dimension: the part of every rank, in all layouts.
TEST(FortranCallee, works_on_the_part_of_each_rank) {
    const Communicator comm = world();
    for (const ArrayLayout& layout : all_layouts(comm.size())) {
        SCOPED_TRACE(layout.describe());
        const auto x = make_matrix(comm, layout);
        with_local_copy(Host(), x, Intent::inout, MemoryOrder::column_major, [](const auto& a) {
            const int m = to_int(a.extent(0));
            const int n = to_int(a.extent(1));
            dvcums_(&m, &n, a.data());
        });
        std::map<std::int64_t, double> columns; // sums so far, by column in the section's order
        for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
            columns[l[1]] += value(g[0], g[1]);
            EXPECT_EQ(element(x.view(), l), columns[l[1]]);
        });
    }
}

TEST(FortranCallee, works_on_the_whole_array_on_a_root_and_on_every_rank) {
    const Communicator comm = world();
    const auto cumulate = [](const auto& a) {
        ASSERT_EQ(a.extent(0), 7);
        ASSERT_EQ(a.extent(1), 9);
        const int m = 7;
        const int n = 9;
        dvcums_(&m, &n, a.data());
    };
    for (const ArrayLayout& layout : all_layouts(comm.size())) {
        SCOPED_TRACE(layout.describe());
        for (const int root : {0, comm.size() - 1, WholeArray::every_rank}) {
            const auto x = make_matrix(comm, layout);
            with_local_copy(Host(), comm, x, Intent::inout, MemoryOrder::column_major,
                            WholeArray{root}, cumulate);
            for_each_cell<2>(layout, comm.rank(), Cells::interior,
                             [&](const auto& l, const auto& g) {
                                 double expected = 0;
                                 for (std::int64_t i = 0; i <= g[0]; ++i)
                                     expected += value(i, g[1]);
                                 EXPECT_EQ(element(x.view(), l), expected);
                             });
        }
    }
}

// Rows 2 to 5 of three columns for each rank, owned by other ranks; columns of two ranks may overlap, because they are
// only read.
TEST(FortranCallee, reads_a_box_of_cells_of_other_ranks) {
    const Communicator comm = world();
    const std::int64_t first = comm.rank() % 7;
    for (const ArrayLayout& layout : all_layouts(comm.size())) {
        SCOPED_TRACE(layout.describe());
        const auto x = make_matrix(comm, layout);
        std::vector<double> rows(4);
        const LocalCopyBytes bytes = with_local_copy(
            Host(), comm, x, Intent::in, MemoryOrder::column_major,
            {{{GlobalIndex(2), GlobalIndex(6)}, {GlobalIndex(first), GlobalIndex(first + 3)}}},
            [&](const auto& a) {
                const int m = to_int(a.extent(0));
                const int n = to_int(a.extent(1));
                const int lda = to_int(a.leading_dimension());
                dvrows_(&m, &n, a.data(), &lda, rows.data());
            },
            {.takes_leading_dimension = true});
        for (std::int64_t i = 0; i < 4; ++i)
            EXPECT_EQ(rows[static_cast<std::size_t>(i)],
                      value(i + 2, first) + value(i + 2, first + 1) + value(i + 2, first + 2));
        EXPECT_TRUE(bytes.bytes_copied_in == 0 || bytes.bytes_copied_in == 12 * 8);
        EXPECT_EQ(bytes.bytes_copied_out, 0);
    }
}

// Elements that the routine does not write keep their values, although they are not copied in.
TEST(FortranCallee, leaves_what_it_does_not_touch) {
    const Communicator comm = world();
    for (const ArrayLayout& layout : all_layouts(comm.size())) {
        SCOPED_TRACE(layout.describe());
        const auto x = make_matrix(comm, layout);
        const LocalCopyBytes bytes =
            with_local_copy(Host(), comm, x, Intent::out, MemoryOrder::column_major, WholeArray{0},
                            [](const auto& a) {
                                const int m = to_int(a.extent(0));
                                const int n = to_int(a.extent(1));
                                const int lda = to_int(a.leading_dimension());
                                dvuppr_(&m, &n, a.data(), &lda);
                            });
        EXPECT_EQ(bytes.bytes_copied_in, 0);
        EXPECT_EQ(bytes.bytes_copied_out, comm.rank() == 0 ? (9 + 8 + 7 + 6 + 5 + 4 + 3) * 8 : 0);
        for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
            EXPECT_EQ(element(x.view(), l), g[0] > g[1]
                                                ? value(g[0], g[1])
                                                : 1000.0 * double(g[0] + 1) + double(g[1] + 1));
        });
    }
}

} // namespace distview::testing
