// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/structured.hpp>

#include "call.hpp"
#include "limits.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace distview::hypre {

using impl::call;

namespace {

using Offset = std::array<std::int64_t, 3>; ///< along the layout's axes

/// Has a fixed size, so that it can be gathered.
struct Offsets {
    static constexpr std::size_t most = 27;
    std::size_t count = 0;
    std::array<Offset, most> at{};

    std::size_t find(const Offset& offset) const {
        return static_cast<std::size_t>(std::find(at.begin(), at.begin() + count, offset) -
                                        at.begin());
    }
    void add(const char* caller, const Offset& offset) {
        if (find(offset) < count) return;
        for (std::size_t d = 0; d < offset.size(); ++d)
            require<UsageError>(offset[d] >= -1 && offset[d] <= 1, [&] {
                return text(caller,
                            ": expected entries at most one cell away along each axis, because "
                            "hypre's vectors have one layer of ghosts, got ",
                            offset[d], " along axis ", d, "; ij_matrix() accepts any");
            });
        at[count++] = offset;
    }
};

/// The largest number of axes along which one offset steps.
std::ptrdiff_t most_axes(const Offsets& offsets) {
    const auto axes_of = [](const Offset& offset) {
        return std::count_if(offset.begin(), offset.end(), [](std::int64_t o) { return o != 0; });
    };
    std::ptrdiff_t most = 0;
    for (std::size_t i = 0; i < offsets.count; ++i) most = std::max(most, axes_of(offsets.at[i]));
    return most;
}

/// Whether the offsets, on two or three axes, are 0 and all steps of one cell along up to some number of axes at once.
bool suits_pfmg(const Offsets& offsets, int rank) {
    const std::ptrdiff_t most = most_axes(offsets);
    if (rank == 2) return most > 0 && offsets.count == (most == 1 ? 5u : 9u);
    return rank == 3 && most > 0 && offsets.count == (most == 1 ? 7u : most == 2 ? 19u : 27u);
}

/// The distance to the cell of a column; along a periodic axis in the shorter direction.
Offset offset_of(const RowNumbering& rows, const std::array<GlobalIndex, max_rank>& from,
                 std::int64_t column) {
    const auto to = rows.index(column);
    Offset offset{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(rows.layout().rank()); ++d) {
        const AxisLayout& axis = rows.layout().axis(static_cast<int>(d));
        const std::int64_t n = axis.size();
        offset[d] = to[d] - from[d];
        if (!axis.periodic()) continue;
        if (2 * offset[d] > n) offset[d] -= n;
        if (2 * offset[d] <= -n) offset[d] += n;
    }
    return offset;
}

/// Calls action(row, entry, offset) for each entry of this process.
template <class Action>
void for_each_entry(const MatrixRows& rows, const Action& action) {
    for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
        const auto cell = rows.numbering.index(rows.numbering.row_of_cell(r));
        const auto at = static_cast<std::size_t>(r);
        for (auto e = static_cast<std::size_t>(rows.offsets[at]);
             e < static_cast<std::size_t>(rows.offsets[at + 1]); ++e)
            action(at, e, offset_of(rows.numbering, cell, rows.columns[e]));
    }
}

/// The offsets of all ranks, the diagonal's first; equal on all ranks.
Offsets all_offsets(const char* caller, const MatrixRows& rows) {
    const Communicator& comm = rows.numbering.communicator();
    const Offsets mine = agree_on(comm, caller, [&] {
        Offsets found;
        found.add(caller, {});
        for_each_entry(rows, [&](std::size_t, std::size_t, const Offset& offset) {
            found.add(caller, offset);
        });
        return found;
    });
    const std::vector<Offsets> everybody = all_gather(comm, mine);
    return agree_on(comm, caller, [&] {
        Offsets all;
        for (const Offsets& theirs : everybody)
            for (std::size_t i = 0; i < theirs.count; ++i) all.add(caller, theirs.at[i]);
        return all;
    });
}

/// Values in hypre's order of axes, which begins with the fastest one.
template <class Values>
StructGrid::Corner reversed(const RowNumbering& rows, const Values& along) {
    StructGrid::Corner corner{};
    const int n = rows.layout().rank();
    for (int d = 0; d < n; ++d)
        corner[static_cast<std::size_t>(n - 1 - d)] = static_cast<HYPRE_Int>(along(d));
    return corner;
}

void require_grid(const char* caller, const RowNumbering& rows) {
    const ArrayLayout& layout = rows.layout();
    require<LayoutError>(layout.rank() <= 3, [&] {
        return text(caller, ": expected at most 3 axes, got ", layout.rank());
    });
    for (int d = 0; d < layout.rank(); ++d)
        require<LayoutError>(layout.axis(d).is_block(), [&] {
            return text(caller, ": expected block axes, got another distribution along axis ", d,
                        " of a ", layout.describe());
        });
    impl::require_count(caller, rows);
    // Corners are a HYPRE_Int for each axis, which may be shorter than a HYPRE_BigInt.
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<HYPRE_Int>::max());
    for (int d = 0; d < layout.rank(); ++d)
        require<UsageError>(layout.extent(d) <= most, [&] {
            return text(caller, ": expected at most ", most, " cells along an axis, got ",
                        layout.extent(d), " along axis ", d);
        });
}

/// The extents of this process, 1 for axes that the layout does not have.
std::array<std::int64_t, 3> local_extents(const RowNumbering& rows) {
    std::array<std::int64_t, 3> extents{1, 1, 1};
    const Extents found = rows.layout().local_extents(rows.communicator().rank());
    for (std::size_t d = 0; d < static_cast<std::size_t>(rows.layout().rank()); ++d)
        extents[d] = found[d];
    return extents;
}

/// Throws UsageError unless a HYPRE_Int counts this process's box: ghosts included, `entries` numbers in each cell.
void require_box_of(const char* caller, const RowNumbering& rows, std::size_t entries) {
    const auto extents = local_extents(rows);
    impl::require_box(caller,
                      std::span(extents).first(static_cast<std::size_t>(rows.layout().rank())),
                      static_cast<std::int64_t>(entries));
}

} // namespace

StructGrid struct_grid(const RowNumbering& rows) {
    const char* caller = "hypre::struct_grid";
    const Communicator& comm = rows.communicator();
    const CollectiveCall naming(comm, caller);
    StructGrid grid(rows);
    agree_on(comm, caller, [&] {
        require_grid(caller, rows);
        require_box_of(caller, rows, 1);
        grid.m_grid = std::make_shared<Handle<HYPRE_StructGrid>>();
    });
    checked(comm, caller, [&] {
        const ArrayLayout& layout = rows.layout();
        const GridCoordinates at = layout.coordinates(comm.rank());
        const auto mine = [&](int d) {
            return layout.axis(d).as_block().interior(at[static_cast<std::size_t>(d)]);
        };
        grid.m_lower = reversed(rows, [&](int d) { return mine(d).begin.value(); });
        grid.m_upper = reversed(rows, [&](int d) { return mine(d).end.value() - 1; });
        StructGrid::Corner periods =
            reversed(rows, [&](int d) { return layout.axis(d).periodic() ? layout.extent(d) : 0; });
        HYPRE_StructGrid made = nullptr;
        call(HYPRE_StructGridCreate(impl::comm_of(comm), layout.rank(), &made));
        *grid.m_grid = Handle<HYPRE_StructGrid>(made);
        if (rows.local_rows() > 0)
            call(HYPRE_StructGridSetExtents(made, grid.m_lower.data(), grid.m_upper.data()));
        call(HYPRE_StructGridSetPeriodic(made, periods.data()));
        call(HYPRE_StructGridAssemble(made));
        return 0;
    });
    return grid;
}

StructVector impl::make_struct_vector(const StructGrid& grid, Cells cells) {
    StructVector vector(grid, std::move(cells));
    checked(grid.rows().communicator(), "hypre::struct_vector", [&] {
        HYPRE_StructVector made = nullptr;
        call(HYPRE_StructVectorCreate(impl::comm_of(grid.rows().communicator()), grid, &made));
        vector.m_vector = Handle<HYPRE_StructVector>(made);
        call(HYPRE_StructVectorInitialize(made));
        call(HYPRE_StructVectorAssemble(made));
        return 0;
    });
    return vector;
}

void StructVector::put() const {
    checked(rows().communicator(), "hypre::StructVector::put", [&] {
        impl::require_object("hypre::StructVector::put", m_vector != nullptr);
        if (rows().local_rows() == 0) return 0;
        StructGrid::Corner lower = m_grid.lower(), upper = m_grid.upper();
        call(HYPRE_StructVectorSetBoxValues(m_vector, lower.data(), upper.data(),
                                            const_cast<double*>(m_cells.read)));
        distview::impl::count_door_copy(8 * rows().local_rows());
        return 0;
    });
}

void StructVector::fetch() const {
    agree_on(rows().communicator(), "hypre::StructVector::fetch", [&] {
        impl::require_object("hypre::StructVector::fetch", m_vector != nullptr);
        require<UsageError>(is_writable(), "hypre::StructVector::fetch: expected an array whose "
                                           "elements are not const, got const ones");
    });
    checked(rows().communicator(), "hypre::StructVector::fetch", [&] {
        if (rows().local_rows() == 0) return 0;
        StructGrid::Corner lower = m_grid.lower(), upper = m_grid.upper();
        call(HYPRE_StructVectorGetBoxValues(m_vector, lower.data(), upper.data(), m_cells.write));
        distview::impl::count_door_copy(8 * rows().local_rows());
        return 0;
    });
}

StructMatrix struct_matrix(const StructGrid& grid, const MatrixRows& rows) {
    const char* caller = "hypre::struct_matrix";
    const Communicator& comm = grid.rows().communicator();
    const CollectiveCall naming(comm, caller);
    agree_on(comm, caller, [&] {
        const bool has_ranks = rows.numbering.communicator() == comm;
        require<UsageError>(rows.numbering.layout() == grid.rows().layout() && has_ranks, [&] {
            return text(caller, ": expected rows of the grid's layout and communicator\n",
                        grid.rows().layout().describe(), "\ngot rows of a ",
                        rows.numbering.layout().describe(),
                        has_ranks ? "" : "\nover another communicator");
        });
        distview::impl::require_matrix_rows(caller, rows);
    });
    const Offsets offsets = all_offsets(caller, rows);
    StructMatrix matrix(grid);
    std::vector<HYPRE_Int> entries;
    std::vector<double> values;
    // Allocates before hypre communicates: if memory ended on this rank later, the others would wait in hypre's calls.
    agree_on(comm, caller, [&] {
        require_box_of(caller, rows.numbering, offsets.count);
        matrix.m_matrix = std::make_shared<Handle<HYPRE_StructMatrix>>();
        entries.resize(offsets.count);
        std::iota(entries.begin(), entries.end(), 0);
        values.resize(static_cast<std::size_t>(rows.local_rows()) * offsets.count);
        for_each_entry(rows, [&](std::size_t row, std::size_t entry, const Offset& offset) {
            values[row * offsets.count + offsets.find(offset)] = rows.values[entry];
        });
    });
    matrix.m_zero = impl::find_zero_on_diagonal(rows);
    matrix.m_suits_pfmg = suits_pfmg(offsets, rows.numbering.layout().rank());
    matrix.m_has_corners = most_axes(offsets) > 1;
    checked(comm, caller, [&] {
        const auto size = static_cast<HYPRE_Int>(offsets.count);
        HYPRE_StructStencil shape = nullptr;
        call(HYPRE_StructStencilCreate(rows.numbering.layout().rank(), size, &shape));
        const Handle<HYPRE_StructStencil> stencil(shape);
        for (HYPRE_Int i = 0; i < size; ++i) {
            StructGrid::Corner offset = reversed(rows.numbering, [&](int d) {
                return offsets.at[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)];
            });
            call(HYPRE_StructStencilSetElement(shape, i, offset.data()));
        }
        HYPRE_StructMatrix made = nullptr;
        call(HYPRE_StructMatrixCreate(impl::comm_of(comm), grid, shape, &made));
        *matrix.m_matrix = Handle<HYPRE_StructMatrix>(made);
        call(HYPRE_StructMatrixInitialize(made));
        if (rows.local_rows() > 0) {
            StructGrid::Corner lower = grid.lower(), upper = grid.upper();
            call(HYPRE_StructMatrixSetBoxValues(made, lower.data(), upper.data(), size,
                                                entries.data(), values.data()));
        }
        call(HYPRE_StructMatrixAssemble(made));
        return 0;
    });
    return matrix;
}

} // namespace distview::hypre
