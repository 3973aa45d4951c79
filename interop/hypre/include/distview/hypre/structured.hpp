// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/vector.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <HYPRE_struct_mv.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace distview::hypre {

/// The blocks of a layout as a grid of hypre's Struct interface, one box per process. struct_grid() makes it; copies
/// share it.
///
/// Indices:    hypre counts axes from the fastest one: axis d of n is hypre's n - 1 - d
/// Collective: no (local)
class StructGrid {
public:
    using Corner = std::array<HYPRE_Int, 3>;

    // Copies share one grid and moves are copies, because an empty grid does not exist.
    StructGrid(const StructGrid&) = default;
    StructGrid& operator=(const StructGrid&) = default;

    const RowNumbering& rows() const noexcept { return m_rows; }
    HYPRE_StructGrid get() const noexcept { return *m_grid; }
    operator HYPRE_StructGrid() const noexcept { return *m_grid; }
    /// The first and last cell of this process. C order of its cells is the order of hypre's box.
    Corner lower() const noexcept { return m_lower; }
    Corner upper() const noexcept { return m_upper; }

private:
    friend StructGrid struct_grid(const RowNumbering& rows);
    explicit StructGrid(const RowNumbering& rows) : m_rows(rows) {}

    RowNumbering m_rows;
    std::shared_ptr<Handle<HYPRE_StructGrid>> m_grid;
    Corner m_lower{}, m_upper{};
};

/// Collective: over the numbering's communicator
/// Shapes:     up to three axes, all of them block; periodic axes are periodic in hypre
/// Errors:     LayoutError if there are more axes, or axes that are not block; UsageError if hypre is not running, or a
///             HYPRE_Int does not count an axis, or the cells of a rank including a layer of ghosts; SolverError of
///             hypre (thrown on all ranks)
StructGrid struct_grid(const RowNumbering& rows);

class StructVector;
namespace impl {
StructVector make_struct_vector(const StructGrid& grid, Cells cells);
}

/// An array, and a vector of hypre's Struct interface beside it. Made by struct_vector().
///
/// Collective: over the numbering's communicator; accessors are local
class StructVector {
public:
    /// Passes the array's values to hypre's vector.
    ///
    /// Cost:   one counted copy, 8 bytes a cell
    /// Errors: UsageError if this was moved from; SolverError of hypre (thrown on all ranks)
    void put() const;
    /// Passes hypre's values to the array.
    ///
    /// Cost:   one counted copy, 8 bytes a cell
    /// Errors: UsageError if this was moved from, or the array's elements are const; SolverError of hypre (thrown on all
    ///         ranks)
    void fetch() const;

    const RowNumbering& rows() const noexcept { return m_grid.rows(); }
    bool is_writable() const noexcept {
        return m_cells.write != nullptr || rows().local_rows() == 0;
    }
    /// The array's memory, not hypre's values, which are a copy. Without cells it may be null.
    const double* data() const noexcept { return m_cells.read; }
    HYPRE_StructVector get() const noexcept { return m_vector; }
    operator HYPRE_StructVector() const noexcept { return m_vector; }

private:
    friend StructVector impl::make_struct_vector(const StructGrid& grid, impl::Cells cells);
    StructVector(const StructGrid& grid, impl::Cells cells)
        : m_grid(grid), m_cells(std::move(cells)) {}

    StructGrid m_grid;
    impl::Cells m_cells;
    Handle<HYPRE_StructVector> m_vector;
};

/// The cells of an array as a vector of hypre's Struct interface, which always holds a copy; see vector().
///
/// Collective: over the numbering's communicator
/// Shapes:     grid.rows().layout(): no padding; C order (LayoutRight) without gaps
/// Cost:       a vector of hypre's own; no element is copied
/// Errors:     those of vector()
template <DistViewLike View>
StructVector struct_vector(const StructGrid& grid, const View& array) {
    return impl::make_struct_vector(grid,
                                    impl::cells_of("hypre::struct_vector", grid.rows(), array));
}

/// A matrix of hypre's Struct interface, and its grid. Made by struct_matrix(); copies share it.
///
/// Collective: no (local)
class StructMatrix {
public:
    const RowNumbering& rows() const noexcept { return m_grid.rows(); }
    HYPRE_StructMatrix get() const noexcept { return m_matrix ? m_matrix->get() : nullptr; }
    operator HYPRE_StructMatrix() const noexcept { return get(); }
    /// The lowest row of this process whose diagonal entry was 0 or absent when the matrix was made; -1: no row.
    std::int64_t zero_on_diagonal() const noexcept { return m_zero; }
    /// Whether hypre's pfmg supports the stencil: 5 or 9 entries on two axes, 7, 19 or 27 on three.
    bool suits_pfmg() const noexcept { return m_suits_pfmg; }
    /// Whether the stencil has entries in corners or on edges: then cells of one colour are neighbours.
    bool has_corners() const noexcept { return m_has_corners; }

private:
    friend StructMatrix struct_matrix(const StructGrid& grid, const MatrixRows& rows);
    explicit StructMatrix(const StructGrid& grid) : m_grid(grid) {}

    StructGrid m_grid;
    std::shared_ptr<Handle<HYPRE_StructMatrix>> m_matrix;
    std::int64_t m_zero = -1;
    bool m_suits_pfmg = false;
    bool m_has_corners = false;
};

/// A Struct matrix from rows that assemble() made. Its stencil has the offsets of all entries of all ranks, computed
/// from rows and columns.
///
/// Collective: over the numbering's communicator
/// Cost:       hypre's own copy of the entries, and temporarily another; finding offsets takes some 50 ns an entry
/// Errors:     UsageError if the grid has other rows, an entry is more than one cell away along an axis (hypre's
///             vectors have one layer of ghosts), or a HYPRE_Int does not count the entries of a rank (the stencil's
///             entries for each cell, ghosts included); SolverError of hypre (thrown on all ranks)
StructMatrix struct_matrix(const StructGrid& grid, const MatrixRows& rows);

} // namespace distview::hypre
