// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace distview::testing {

using Matrix = DistView<double**>;

/// Matrices whose elements encode their global index.
class RedistributionPlans : public ::testing::Test {
protected:
    using Exec = Kokkos::DefaultHostExecutionSpace;
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const int n = comm.size();

    Matrix make(const ArrayLayout& layout) const {
        return make_dist_view<double**>(exec, "distview::test::matrix", comm, layout);
    }
    /// Sets element (i, j), global indices, to 1000 i + j.
    Matrix make_numbered(const ArrayLayout& layout) const {
        const Matrix a = make(layout);
        for_each(a, [](double& value, std::int64_t i, std::int64_t j) {
            value = static_cast<double>(1000 * i + j);
        });
        return a;
    }
    /// Calls visit(element, i, j) for interior cells.
    template <class Visit>
    static void for_each(const Matrix& a, Visit&& visit) {
        const LocalRange rows = a.interior_range(0), columns = a.interior_range(1);
        for (std::int64_t i = rows.begin; i < rows.end; ++i)
            for (std::int64_t j = columns.begin; j < columns.end; ++j)
                visit(a.view()(i, j), a.global_index(0, LocalIndex(i)).value(),
                      a.global_index(1, LocalIndex(j)).value());
    }
    template <class Expected>
    static int wrong(const Matrix& a, Expected&& expected) {
        int count = 0;
        for_each(a, [&](double value, std::int64_t i, std::int64_t j) {
            count += value != expected(i, j);
        });
        return count;
    }

    /// The number of elements that differ from `factor` times make_numbered(), or its transpose.
    static int not_numbered(const Matrix& a, double factor = 1) {
        return wrong(a, [&](std::int64_t i, std::int64_t j) {
            return factor * static_cast<double>(1000 * i + j);
        });
    }
    static int not_transposed(const Matrix& a, double factor = 1) {
        return wrong(a, [&](std::int64_t i, std::int64_t j) {
            return factor * static_cast<double>(1000 * j + i);
        });
    }

    ArrayLayout rows_split(std::int64_t rows, std::int64_t columns) const {
        return {ProcessGrid{n, 1}, {block(rows), block(columns)}};
    }
    ArrayLayout columns_split(std::int64_t rows, std::int64_t columns) const {
        return {ProcessGrid{1, n}, {block_cyclic(rows, 4), block_cyclic(columns, 3)}};
    }
};

} // namespace distview::testing
