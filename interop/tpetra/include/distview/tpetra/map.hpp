// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/interop/row_numbering.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview {
// Programs that make plans include their header themselves; it takes long to compile.
struct GhostedLayout;
} // namespace distview

namespace distview::tpetra {

namespace impl {
struct MapState;
}

/// Which rows of vectors and matrices each rank has: a Tpetra::Map of the installed ordinals. Copies are shallow.
///
///     const tpetra::Map map(comm, 5);    // 5 rows on each of 3 ranks: 0 .. 4 | 5 .. 9 | 10 .. 14
///
/// Collective: construction, ghosted_layout() and operator==, over the communicator
/// Indices:    rows are global, from 0 unless they are listed; positions are local, from 0
/// Cost:       one duplicate of the communicator, for Trilinos, which all maps of the communicator share
/// Errors:     UsageError if a number of rows is negative, if Tpetra's ordinals are too short for the rows;
///             SolverError with the text of Tpetra's exception (thrown on all ranks)
class Map {
public:
    /// The rows of an array's cells: position n is that of row_of_cell(n).
    explicit Map(const RowNumbering& rows);
    /// Rows that follow those of lower ranks.
    Map(const Communicator& comm, std::int64_t rows);
    /// The listed rows, any integers from 0; several ranks may list one row, as in maps with ghosts.
    Map(const Communicator& comm, const std::vector<std::int64_t>& rows);

    const Communicator& communicator() const;
    /// Number of rows on all ranks, and on this one.
    std::int64_t size() const;
    std::int64_t local_size() const;
    /// The row at a position; UsageError unless there is one.
    std::int64_t row(std::int64_t position) const;
    /// The numbering from which the map was made; UsageError if it was made otherwise.
    const RowNumbering& numbering() const;
    /// The position of a row, -1 if this rank has none.
    std::int64_t position(std::int64_t row) const;

    /// An unstructured layout in which each process has the elements of its rows, and no ghosts.
    GhostedLayout ghosted_layout() const;

    /// Whether every rank has the same rows in the same order in both.
    friend bool operator==(const Map& a, const Map& b);

    const std::shared_ptr<const impl::MapState>& state() const noexcept { return m_state; }
    explicit Map(std::shared_ptr<const impl::MapState> state);

private:
    std::shared_ptr<const impl::MapState> m_state;
};

} // namespace distview::tpetra
