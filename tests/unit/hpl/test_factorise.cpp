// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors on all grids, compared with a textbook's loops on one rank: the same bits. A matrix of 7 equations in
// blocks of 2 x 2 on 2 x 2 processes, each element shown by its process; the last column is b:
//
//     00 01 00 01
//     10 11 10 11
//     00 01 00 01     rows 4 and 5
//     10 11 10 11     row 6
#include "factorise.hpp"
#include "textbook.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

using hpl::Array;
using hpl::Options;

/// Common to the tests of this program.
struct FactoriseTest : ::testing::Test {
    Array make(const Options& options, const ProcessGrid& grid) const {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, "ab", world, hpl::make_layout(options, grid));
    }
    std::vector<ProcessGrid> grids() const {
        std::vector<ProcessGrid> all;
        for (const auto& extents : all_process_grids(world.size(), 2)) all.emplace_back(extents);
        return all;
    }
    /// Sets elements by a function of their global indices.
    template <class Function>
    void set(const Array& ab, const Function& function) const {
        exec.fence("distview::testing: the host writes");
        const auto rows = hpl::global_indices(ab, 0);
        const auto columns = hpl::global_indices(ab, 1);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < columns.size(); ++j)
                ab.view()(i, j) = function(rows[i], columns[j]);
    }

    hpl::Exec exec;
    Communicator world{MPI_COMM_WORLD};
    hpl::Phases phases;
};

TEST_F(FactoriseTest, has_the_bits_of_the_textbook_on_all_grids) {
    struct Case {
        std::int64_t n, nb;
    };
    for (const Case& each : {Case{1, 1}, Case{1, 8}, Case{7, 1}, Case{7, 2}, Case{33, 4},
                             Case{33, 12}, Case{33, 64}, Case{50, 8}}) {
        const auto n = static_cast<std::size_t>(each.n);
        const Dense original = hpl_matrix(n, 7);
        Dense expected = original;
        const auto pivots = factorise_by_the_textbook(expected, n);
        for (const ProcessGrid& grid : grids()) {
            SCOPED_TRACE(text(each.n, " in blocks of ", each.nb, " on ", grid.extent(0), 'x',
                              grid.extent(1)));
            Options options;
            options.n = each.n;
            options.nb = each.nb;
            options.seed = 7;
            const Array ab = make(options, grid);
            hpl::set(exec, options, ab);
            const hpl::Factors factors = hpl::factorise(exec, world, options, ab, phases);
            EXPECT_EQ(factors.pivots, pivots);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = i / std::size_t(each.nb) * std::size_t(each.nb);
                     j < std::min(n, (i / std::size_t(each.nb) + 1) * std::size_t(each.nb)); ++j)
                    EXPECT_EQ(factors.diagonal(i, j % std::size_t(each.nb)), expected(i, j));
            const auto whole = gather(exec, world, ab, 0);
            if (world.rank() != 0) continue;
            Dense found{n, n + 1};
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= n; ++j) found(i, j) = whole(i, j);
            EXPECT_EQ(found.elements, expected.elements);
            EXPECT_LE(factor_error(original, found, factors.pivots), 1e-14);
        }
    }
}

// Elements are 1 and -1, except the first one: the candidates of all processes are equal, so the first must be chosen.
TEST_F(FactoriseTest, takes_the_first_row_of_equal_candidates) {
    const auto element = [](std::int64_t i, std::int64_t j) {
        if (i == 0 && j == 0) return 0.5;
        const hpl::Jump jump(static_cast<std::uint64_t>(1 + i + 12 * j));
        return hpl::value_of(jump(100)) < 0 ? -1.0 : 1.0;
    };
    Dense expected{12, 13};
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 13; ++j)
            expected(i, j) = element(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
    const auto pivots = factorise_by_the_textbook(expected, 12);
    ASSERT_EQ(pivots[0], 1);
    for (const ProcessGrid& grid : grids()) {
        Options options;
        options.n = 12;
        options.nb = 2;
        const Array ab = make(options, grid);
        set(ab, element);
        EXPECT_EQ(hpl::factorise(exec, world, options, ab, phases).pivots, pivots);
    }
}

TEST_F(FactoriseTest, tells_all_ranks_of_a_matrix_that_is_singular) {
    for (const ProcessGrid& grid : grids()) {
        Options options;
        options.n = 20;
        options.nb = 3;
        // A column of zeros, and rows that are exact multiples of each other.
        for (const std::int64_t zero : {0, 8, 19}) {
            const Array ab = make(options, grid);
            set(ab,
                [&](std::int64_t i, std::int64_t j) { return i == j && i != zero ? 2.0 : 0.0; });
            EXPECT_THROW_ON_ALL_RANKS(
                hpl::factorise(exec, world, options, ab, phases), Error,
                text("the matrix cannot be factorised: all candidates for the pivot of column ",
                     zero + 1, " (counted from 1) are 0"));
        }
        const Array ab = make(options, grid);
        set(ab, [](std::int64_t i, std::int64_t j) {
            return static_cast<double>((std::int64_t{1} << 5 * i % 7) * (j + 1));
        });
        EXPECT_THROW_ON_ALL_RANKS(hpl::factorise(exec, world, options, ab, phases), Error,
                                  "of column 2 (counted from 1)");
        // All ranks are in step, so the next factorisation works.
        hpl::set(exec, options, ab);
        EXPECT_EQ(hpl::factorise(exec, world, options, ab, phases).pivots.size(), 20U);
    }
}

} // namespace

} // namespace distview::testing
