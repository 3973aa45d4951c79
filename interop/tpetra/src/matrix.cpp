// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace distview::tpetra {

namespace {

void check_lists(const Map& map, const std::vector<std::int64_t>& begin,
                 const std::vector<std::int64_t>& columns, const std::vector<double>& values) {
    const auto rows = static_cast<std::size_t>(map.local_size());
    require<ShapeError>(begin.size() == rows + 1, [&] {
        return text("tpetra::Matrix: expected ", rows + 1, " elements in begin for ", rows,
                    " rows, got ", begin.size());
    });
    require<ShapeError>(columns.size() == values.size(), [&] {
        return text("tpetra::Matrix: expected equally many columns and values, got ",
                    columns.size(), " columns and ", values.size(), " values");
    });
    for (std::size_t r = 0; r < rows; ++r)
        require<ShapeError>(begin[r] <= begin[r + 1], [&] {
            return text("tpetra::Matrix: expected ascending elements in begin, got ", begin[r],
                        " before ", begin[r + 1], " at row ", r);
        });
    require<ShapeError>(
        begin.front() == 0 && begin.back() == static_cast<std::int64_t>(values.size()), [&] {
            return text("tpetra::Matrix: expected elements from 0 to ", values.size(),
                        ", the number of values, in begin, got ", begin.front(), " to ",
                        begin.back());
        });
    const auto& known = *map.state()->map;
    const std::int64_t least = known.getMinAllGlobalIndex(), last = known.getMaxAllGlobalIndex();
    for (const std::int64_t column : columns)
        require<UsageError>(column >= least && column <= last, [&] {
            return text("tpetra::Matrix: expected columns that are rows of the map, from ", least,
                        " to ", last, ", got column ", column);
        });
}

/// Throws UsageError on all ranks if a column is in a gap between listed rows. Collective: Tpetra asks the ranks.
void require_columns(const Map& map, const std::vector<std::int64_t>& columns) {
    const auto& known = *map.state()->map;
    if (known.isContiguous() || map.state()->numbering) return;
    std::vector<impl::GlobalOrdinal> asked;
    std::vector<int> ranks;
    agree_on(map.communicator(), "tpetra::Matrix", [&] {
        asked.assign(columns.begin(), columns.end());
        std::sort(asked.begin(), asked.end());
        asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
        ranks.resize(asked.size());
    });
    impl::guarded(map.communicator(), "tpetra::Matrix", [&] {
        (void)known.getRemoteIndexList(Teuchos::arrayViewFromVector(std::as_const(asked)),
                                       Teuchos::arrayViewFromVector(ranks));
    });
    agree_on(map.communicator(), "tpetra::Matrix", [&] {
        const auto missing = std::find(ranks.begin(), ranks.end(), -1);
        require<UsageError>(missing == ranks.end(), [&] {
            return text("tpetra::Matrix: expected columns that are rows of the map, got column ",
                        asked[static_cast<std::size_t>(missing - ranks.begin())]);
        });
    });
}

/// Sets the entries of `rows`, and all others to zero; the caller calls fillComplete(). Local.
void replace(const char* caller, const Map& map, const MatrixRows& rows,
             impl::TrilinosMatrix& matrix) {
    matrix.resumeFill();
    matrix.setAllToScalar(0);
    std::vector<impl::GlobalOrdinal> columns;
    for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
        const auto at = static_cast<std::size_t>(r);
        const std::int64_t first = rows.offsets[at], count = rows.offsets[at + 1] - first;
        columns.assign(rows.columns.begin() + first, rows.columns.begin() + first + count);
        const std::int64_t row = map.row(r);
        const std::int64_t found = matrix.replaceGlobalValues(
            static_cast<impl::GlobalOrdinal>(row), static_cast<impl::LocalOrdinal>(count),
            rows.values.data() + first, columns.data());
        require<Error>(found == count, [&] {
            return text(caller, ": expected only entries that the matrix has, got ", count - found,
                        " outside the matrix in row ", row);
        });
    }
}

void require_numbering(const char* caller, const Map& map, const RowNumbering& rows) {
    const RowNumbering& own = map.numbering();
    const bool has_ranks = impl::are_congruent(rows.communicator(), own.communicator());
    const bool is_same = rows.layout() == own.layout() && rows.order() == own.order() && has_ranks;
    require<UsageError>(is_same, [&] {
        return text(caller, ": expected rows with the numbering of the map, ",
                    distview::impl::describe(own), "\ngot rows with the numbering ",
                    distview::impl::describe(rows), has_ranks ? "" : "\nover other ranks");
    });
}

/// MueLu gets the unknowns per cell from the map: the rows must have the same number.
void require_unknowns(const Map& map, const RowNumbering& rows) {
    const int expected = map.numbering().unknowns_per_cell();
    require<UsageError>(rows.unknowns_per_cell() == expected, [&] {
        return text("tpetra::Matrix: expected rows with ", expected,
                    " unknowns per cell, as in the map, got rows with ", rows.unknowns_per_cell());
    });
}

} // namespace

Matrix::Matrix(const Map& map, const std::vector<std::int64_t>& begin,
               const std::vector<std::int64_t>& columns, const std::vector<double>& values) {
    const Communicator& comm = map.communicator();
    const CollectiveCall call(comm, "tpetra::Matrix");
    agree_on(comm, "tpetra::Matrix", [&] { check_lists(map, begin, columns, values); });
    require_columns(map, columns);
    // Fill the rows before Trilinos communicates: if this rank ran out of memory later, the others would wait in Trilinos.
    Teuchos::RCP<impl::TrilinosMatrix> matrix;
    impl::guarded(comm, "tpetra::Matrix", [&] {
        const auto rows = static_cast<std::size_t>(map.local_size());
        std::vector<std::size_t> lengths(rows);
        for (std::size_t r = 0; r < rows; ++r)
            lengths[r] = static_cast<std::size_t>(begin[r + 1] - begin[r]);
        const Teuchos::ArrayView<const std::size_t> view(lengths.data(),
                                                         static_cast<Teuchos::Ordinal>(rows));
        matrix = Teuchos::rcp(new impl::TrilinosMatrix(map.state()->map, view));
        std::vector<impl::GlobalOrdinal> row;
        for (std::size_t r = 0; r < rows; ++r) {
            const auto first = static_cast<std::size_t>(begin[r]);
            row.assign(columns.begin() + begin[r], columns.begin() + begin[r + 1]);
            matrix->insertGlobalValues(
                map.state()->map->getGlobalElement(static_cast<impl::LocalOrdinal>(r)),
                static_cast<impl::LocalOrdinal>(lengths[r]), values.data() + first, row.data());
        }
    });
    impl::guarded(comm, "tpetra::Matrix", [&] {
        matrix->fillComplete(map.state()->map, map.state()->map);
        m_state = std::make_shared<const impl::MatrixState>(impl::MatrixState{map, matrix});
    });
}

Matrix::Matrix(const Map& map, const MatrixRows& rows)
    : Matrix((agree_on(map.communicator(), "tpetra::Matrix",
                       [&] {
                           require_numbering("tpetra::Matrix", map, rows.numbering);
                           require_unknowns(map, rows.numbering);
                       }),
              map),
             rows.offsets, rows.columns, rows.values) {}

const Map& Matrix::map() const { return m_state->map; }
std::int64_t Matrix::local_entries() const {
    return static_cast<std::int64_t>(m_state->matrix->getLocalNumEntries());
}

void set_values(const Matrix& matrix, const MatrixRows& rows) {
    const char* caller = "tpetra::set_values";
    const Map& map = matrix.map();
    const Communicator& comm = map.communicator();
    const CollectiveCall call(comm, caller);
    agree_on(comm, caller, [&] {
        require_numbering(caller, map, rows.numbering);
        distview::impl::require_matrix_rows(caller, rows);
    });
    impl::TrilinosMatrix& values = *matrix.state()->matrix;
    ++matrix.state()->changes;
    // Call fillComplete() despite a failure: if only this rank has an entry outside the matrix, the others wait there.
    // The matrix is then usable again.
    impl::guarded(comm, caller, [&] {
        std::exception_ptr failure;
        try {
            replace(caller, map, rows, values);
        } catch (...) {
            failure = std::current_exception();
        }
        values.fillComplete(map.state()->map, map.state()->map);
        if (failure) std::rethrow_exception(failure);
    });
}

Teuchos::RCP<Tpetra::CrsMatrix<double>> rcp(const Matrix& matrix) { return matrix.state()->matrix; }

} // namespace distview::tpetra
