// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/interop/row_numbering.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview {
// The header of GhostedLayout takes long to compile; programs that make plans include it themselves.
struct GhostedLayout;
} // namespace distview

namespace distview::tpetra {

namespace impl {
struct MapState;
}

/// The rows of vectors and matrices on each rank: a Tpetra::Map with Tpetra's own ordinals. Copies are shallow.
///
///     const tpetra::Map map(comm, 5);    // 5 rows on each of 3 ranks: 0 .. 4 | 5 .. 9 | 10 .. 14
///
/// Collective: construction, ghosted_layout() and operator==, over the communicator
/// Indices:    rows are global and count from 0 unless they are listed; positions are local and count from 0
/// Cost:       one duplicate of the communicator for Trilinos; all maps of the communicator share it
/// Errors:     UsageError if a number of rows or a listed row is negative or too large for Tpetra's ordinals;
///             SolverError with the text of Tpetra's exception (thrown on all ranks)
class Map {
public:
    /// The rows of an array's cells: position n holds the row row_of_cell(n).
    explicit Map(const RowNumbering& rows);
    /// `rows` rows on this rank, numbered after the rows of lower ranks.
    Map(const Communicator& comm, std::int64_t rows);
    /// The listed rows, integers >= 0. Several ranks may list the same row, as in maps with ghosts.
    Map(const Communicator& comm, const std::vector<std::int64_t>& rows);

    const Communicator& communicator() const;
    /// Number of rows on all ranks, and on this one.
    std::int64_t size() const;
    std::int64_t local_size() const;
    /// The row at a position; UsageError if this rank has no such position.
    std::int64_t row(std::int64_t position) const;
    /// The RowNumbering from which the map was made; UsageError if the map was made without one.
    const RowNumbering& numbering() const;
    /// The position of a row, -1 if this rank has none.
    std::int64_t position(std::int64_t row) const;

    /// An unstructured layout without ghosts: each process owns the elements of its rows.
    GhostedLayout ghosted_layout() const;

    /// Whether both maps have the same rows in the same order on every rank.
    friend bool operator==(const Map& a, const Map& b);

    const std::shared_ptr<const impl::MapState>& state() const noexcept { return m_state; }
    explicit Map(std::shared_ptr<const impl::MapState> state);

private:
    std::shared_ptr<const impl::MapState> m_state;
};

} // namespace distview::tpetra
