// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Power iteration with a sparse matrix whose rows are spread over processes without any order. Before each product
// every process gets copies (ghosts) of the vector's elements that its rows need but other processes own.

#include <distview/algorithms.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <vector>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t size = 3000;
constexpr int products = 60;

std::uint64_t scrambled(std::uint64_t number) {
    number = (number + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return (number ^ (number >> 31)) * 0x94d049bb133111eb >> 16;
}

/// The process of a row. This stands for a graph partitioner.
int process_of(std::int64_t row, int processes) {
    return static_cast<int>(scrambled(std::uint64_t(row)) % std::uint64_t(processes));
}

/// Columns of a row's entries: the row's own number, the next one, and up to 7 arbitrary ones.
std::vector<std::int64_t> columns_of(std::int64_t row) {
    std::vector<std::int64_t> columns{row, (row + 1) % size};
    const auto number = 8 * std::uint64_t(row + size);
    for (std::uint64_t k = scrambled(number) % 8; k > 0; --k)
        columns.push_back(static_cast<std::int64_t>(scrambled(number + k) % size));
    return columns;
}

/// 1 or 2, so that products are exact and sums round alike on all processes.
double entry(std::int64_t row, std::int64_t column) { return double(1 + (row + column) % 2); }

/// Rows in compressed form: row i has the entries [begin[i], begin[i + 1]).
struct SparseMatrix {
    std::vector<std::int64_t> begin{0};
    std::vector<std::int64_t> columns; // global indices
    std::vector<double> entries;

    void add_row(std::int64_t row) {
        for (const std::int64_t column : columns_of(row)) {
            columns.push_back(column);
            entries.push_back(entry(row, column));
        }
        begin.push_back(static_cast<std::int64_t>(columns.size()));
    }
};

/// The same iteration in one process, for comparison.
std::vector<double> iterate_alone() {
    std::vector<double> x(size, 1.0), y(size);
    for (int step = 0; step < products; ++step) {
        for (std::int64_t row = 0; row < size; ++row) {
            double sum = 0;
            for (const std::int64_t column : columns_of(row))
                sum += entry(row, column) * x[std::size_t(column)];
            y[std::size_t(row)] = sum;
        }
        const double largest = *std::max_element(y.begin(), y.end());
        for (std::size_t row = 0; row < x.size(); ++row) x[row] = y[row] / largest;
    }
    return x;
}

/// Returns whether the result is right.
bool iterate(const Communicator& comm) {
    const Exec exec;
    std::vector<std::int64_t> rows;
    SparseMatrix matrix;
    for (std::int64_t row = 0; row < size; ++row)
        if (process_of(row, comm.size()) == comm.rank()) {
            rows.push_back(row);
            matrix.add_row(row);
        }

    // Sections hold this process's rows, then ghosts; algorithms, such as for_each(), work on the rows.
    const GhostedLayout ghosted = make_ghosted_layout(comm, rows, matrix.columns);
    const auto x = make_dist_view<double*>(exec, "x", comm, ghosted.layout);
    const auto y = make_dist_view<double*>(exec, "y", comm, ghosted.layout);
    GhostExchangePlan ghosts(comm, ghosted);

    const auto in = x.view();
    const auto out = y.view();
    const std::int64_t* const begin = matrix.begin.data();
    const std::int64_t* const positions = ghosted.positions.data(); // of the columns, in `in`
    const double* const entries = matrix.entries.data();
    double largest = 0;
    fill(exec, x, 1.0);
    for (int step = 0; step < products; ++step) {
        ghosts.execute(exec, x);
        for_each(
            exec, y, KOKKOS_LAMBDA(std::int64_t row) {
                double sum = 0;
                for (std::int64_t k = begin[row]; k < begin[row + 1]; ++k)
                    sum += entries[k] * in(positions[k]);
                out(row) = sum;
            });
        largest = norm_inf(exec, comm, y);
        for_each(exec, y, KOKKOS_LAMBDA(std::int64_t row) { in(row) = out(row) / largest; });
    }

    const std::vector<double> expected = iterate_alone();
    for (std::size_t row = 0; row < rows.size(); ++row)
        out(row) = in(row)-expected[std::size_t(rows[row])];
    const bool right = norm_inf(exec, comm, y) == 0.0;
    if (comm.rank() == 0)
        std::printf("largest eigenvalue %.6f; rank 0 has %zu rows and %lld ghosts; the bits of one "
                    "process: %s\n",
                    largest, rows.size(), static_cast<long long>(ghosted.ghosts),
                    right ? "right" : "wrong");
    return right;
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return iterate(Communicator(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "06_sparse_matrix: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
