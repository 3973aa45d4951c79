// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges that a schedule offers for overlapping, compared with the cells read, found cell by
// cell: random geometries, every process of each, without MPI.
#include "padding_oracle.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

bool contains(const LocalBox& box, const Position& position, std::size_t rank) {
    for (std::size_t d = 0; d < rank; ++d)
        if (!box[d].contains(LocalIndex(position[d]))) return false;
    return true;
}

std::int64_t volume(const LocalBox& box, std::size_t rank) {
    std::int64_t result = 1;
    for (std::size_t d = 0; d < rank; ++d)
        result *= std::max<std::int64_t>(0, box[d].end - box[d].begin);
    return result;
}

LocalBox box_of(const Position& position, std::size_t rank) {
    LocalBox box{};
    for (std::size_t d = 0; d < rank; ++d)
        box[d] = {LocalIndex(position[d]), LocalIndex(position[d] + 1)};
    return box;
}

/// The section of one process, with properties of its cells found by search.
class Section {
public:
    Section(const ArrayGeometry& geometry, int process)
        : m_geometry(geometry), m_at(geometry.coordinates(process)),
          m_extents(geometry.extents(process)) {
        geometry.for_each_cell(process, [&](const ExpectedCell& cell) {
            m_foreign.push_back(cell.filled && cell.source_process != process);
            m_cells.push_back(cell);
        });
    }

    const std::vector<ExpectedCell>& cells() const { return m_cells; }

    /// Whether a cell is neither communication nor boundary padding.
    bool is_interior(const ExpectedCell& cell) const {
        for (std::size_t d = 0; d < m_extents.size(); ++d) {
            const AxisGeometry& axis = m_geometry.axes[d];
            std::int64_t n = 0;
            for (const std::int64_t block : axis.blocks) n += block;
            const AxisCell& along = axis.cells(m_at[d])[static_cast<std::size_t>(cell.position[d])];
            const std::int64_t i = along.global - axis.boundary.low;
            if (along.direction != 0 || i < 0 || i >= n) return false;
        }
        return true;
    }

    /// The depth to which the exchange fills padding on one side of an axis, ignoring the array's end.
    std::int64_t filled_width(std::size_t d, int side) const {
        const std::vector<AxisCell>& cells = m_geometry.axes[d].cells(m_at[d]);
        return std::count_if(cells.begin(), cells.end(), [&](const AxisCell& cell) {
            return cell.direction == side && cell.reached;
        });
    }

    /// Whether a kernel that reads the exchanged widths around a cell reads a cell of another process.
    bool reads_foreign(const ExpectedCell& cell) const {
        const std::size_t rank = m_extents.size();
        Position from = cell.position;
        Position to = cell.position;
        for (std::size_t d = 0; d < rank; ++d) {
            from[d] = std::max<std::int64_t>(0, from[d] - filled_width(d, -1));
            to[d] = std::min(m_extents[d] - 1, to[d] + filled_width(d, 1));
        }
        for (Position at = from;;) {
            std::size_t number = 0;
            for (std::size_t d = 0; d < rank; ++d)
                number = number * static_cast<std::size_t>(m_extents[d]) +
                         static_cast<std::size_t>(at[d]);
            if (m_foreign[number]) return true;
            std::size_t d = rank;
            while (d > 0 && ++at[d - 1] > to[d - 1]) {
                --d;
                at[d] = from[d];
            }
            if (d == 0) return false;
        }
    }

private:
    const ArrayGeometry& m_geometry;
    std::vector<int> m_at;
    std::vector<std::int64_t> m_extents;
    std::vector<ExpectedCell> m_cells;
    std::vector<bool> m_foreign;
};

/// The first fault in the ranges of one process; "" if they are right.
std::string find_flaw(const ArrayGeometry& geometry, int process) {
    const PaddingExchangeSchedule schedule(geometry.layout(), process, geometry.options());
    const Section section(geometry, process);
    const std::size_t rank = geometry.axes.size();
    const LocalBox inner = schedule.inner_cells();
    const std::vector<LocalBox> outer = schedule.outer_cells();

    std::int64_t interior = 0;
    for (const ExpectedCell& cell : section.cells()) {
        const std::string where = text("process ", process, ", cell ", tuple_text(cell.position));
        const bool in_inner = contains(inner, cell.position, rank);
        const auto in_outer = std::count_if(outer.begin(), outer.end(), [&](const LocalBox& box) {
            return contains(box, cell.position, rank);
        });
        if (!section.is_interior(cell)) {
            if (in_inner || in_outer > 0) return where + " is not of the interior";
            continue;
        }
        ++interior;
        if ((in_inner ? 1 : 0) + in_outer != 1)
            return text(where, " is in ", in_outer, " outer boxes and ", in_inner ? "" : "not ",
                        "in the inner one");
        if (in_inner == section.reads_foreign(cell))
            return where + (in_inner ? " is inner but reads" : " is outer but does not read") +
                   " elements of others";
        const LocalBox reads = schedule.reads(box_of(cell.position, rank));
        for (std::size_t d = 0; d < rank; ++d)
            if (reads[d].begin != cell.position[d] - section.filled_width(d, -1) ||
                reads[d].end != cell.position[d] + 1 + section.filled_width(d, 1))
                return text(where, " reads other positions along axis ", d);
    }
    std::int64_t covered = volume(inner, rank);
    for (const LocalBox& box : outer) {
        if (volume(box, rank) == 0) return text("process ", process, ": an empty outer box");
        covered += volume(box, rank);
    }
    if (covered != interior)
        return text("process ", process, ": ", covered, " cells in boxes, ", interior, " in all");
    const auto divided = std::count_if(geometry.grid.begin(), geometry.grid.end(),
                                       [](int processes) { return processes > 1; });
    if (static_cast<std::ptrdiff_t>(outer.size()) > 2 * divided)
        return text("process ", process, ": ", outer.size(), " outer boxes");
    return {};
}

TEST(PaddingExchangeScheduleCells, AreInnerIfTheyReadNothingOfOthersElseOuter) {
    for_each_case(4000, [](Random& random, std::uint64_t) {
        const auto axis_count = static_cast<int>(random.integer(1, 6));
        const auto processes = static_cast<int>(random.integer(1, axis_count > 3 ? 7 : 25));
        GeometryLimits limits = limits_for(axis_count);
        limits.valid_only = true;
        const ArrayGeometry geometry =
            random_geometry(random, random_process_grid(random, processes, axis_count), limits);
        for (int p = 0; p < processes; ++p)
            ASSERT_EQ(find_flaw(geometry, p), "") << geometry.describe();
    });
}

// An example: 8 x 8 interior cells per process, widths 1 along rows and 2 along columns.
TEST(PaddingExchangeScheduleCells, AreAFrameAroundTheMiddle) {
    const ArrayLayout layout(ProcessGrid{3, 3},
                             {block(24, {.padding = 1}), block(24, {.padding = 2})});
    const PaddingExchangeSchedule middle(layout, 4);
    const auto range = [](std::int64_t begin, std::int64_t end) {
        return LocalRange{LocalIndex(begin), LocalIndex(end)};
    };
    const auto is = [](const LocalBox& box, LocalRange rows, LocalRange columns) {
        return box[0] == rows && box[1] == columns;
    };
    EXPECT_TRUE(is(middle.inner_cells(), range(2, 8), range(4, 8)));
    const std::vector<LocalBox> outer = middle.outer_cells();
    ASSERT_EQ(outer.size(), 4u);
    EXPECT_TRUE(is(outer[0], range(1, 2), range(2, 10)));
    EXPECT_TRUE(is(outer[1], range(8, 9), range(2, 10)));
    EXPECT_TRUE(is(outer[2], range(2, 8), range(2, 4)));
    EXPECT_TRUE(is(outer[3], range(2, 8), range(8, 10)));
    EXPECT_TRUE(is(middle.reads(outer[2]), range(1, 9), range(0, 6)));

    // At the corner of the array no neighbour lies beyond the walls.
    const PaddingExchangeSchedule corner(layout, 0);
    EXPECT_EQ(corner.outer_cells().size(), 2u);
    const PaddingExchangeSchedule alone(ArrayLayout(ProcessGrid{1}, {block(9, {.padding = 1})}), 0);
    EXPECT_TRUE(alone.outer_cells().empty());
}

} // namespace

} // namespace distview::testing
