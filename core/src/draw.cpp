// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/draw.hpp>

#include "text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace distview {

namespace {

constexpr std::int64_t most_cells_1d = 64;
constexpr std::int64_t most_cells_2d = 32;
constexpr int most_processes = 16;
constexpr std::size_t most_characters = 36;

/// One position along an axis of the whole array or of a section.
struct Cell {
    std::int64_t index = 0;
    int coordinate = 0; ///< the owner's coordinate; -1 if no process owns the cell
    bool shared = false;
    bool owned = true;
    bool interior = true;
};

const AxisLayout& layout_of(const ArrayLayout& layout, std::size_t axis) {
    return layout.axis(static_cast<int>(axis));
}

/// Whether the axis' elements are known for one grid coordinate only.
bool partly_known(const AxisLayout& axis) {
    return axis.type() == DistType::unstructured && axis.as_unstructured().known_process() >= 0;
}

bool known(const AxisLayout& axis, int p) {
    return !partly_known(axis) || axis.as_unstructured().known_process() == p;
}

bool has_copies(const AxisLayout& axis) {
    if (axis.is_block()) return !(axis.as_block().widest_padding() == Widths());
    return axis.type() == DistType::unstructured && axis.as_unstructured().has_ghosts();
}

std::vector<Cell> whole_axis(const AxisLayout& axis) {
    std::vector<Cell> cells;
    if (axis.type() != DistType::unstructured) {
        const GlobalRange all = axis.global_range();
        for (GlobalIndex g = all.begin; g < all.end; ++g)
            cells.push_back({.index = g, .coordinate = axis.owner(g)});
        return cells;
    }
    std::map<std::int64_t, int> holders; // in ascending order
    for (int p = 0; p < axis.grid_size(); ++p)
        for (std::int64_t l = 0; l < axis.owned_local(p).size(); ++l)
            ++holders[axis.to_global(p, LocalIndex(l))];
    for (const auto& [label, count] : holders)
        cells.push_back(
            {.index = label, .coordinate = axis.owner(GlobalIndex(label)), .shared = count > 1});
    return cells;
}

std::vector<Cell> section_axis(const AxisLayout& axis, int p) {
    std::vector<Cell> cells;
    for (LocalIndex l(0); l < axis.local_extent(p); ++l) {
        const GlobalIndex g = axis.to_global(p, l);
        // An element on several processes counts as owned by each of them.
        const bool owned = axis.owned_local(p).contains(l);
        // Communication padding wider than the boundary padding reaches beyond the end, or around a periodic axis.
        const bool is_beyond = axis.is_block() && !axis.global_range().contains(g);
        const std::int64_t n = axis.size();
        const bool is_around = is_beyond && axis.periodic() && n > 0;
        const GlobalIndex whose = is_around ? GlobalIndex((g.value() % n + n) % n) : g;
        const bool is_nobodys = is_beyond && !is_around;
        cells.push_back({.index = g,
                         .coordinate = owned        ? p
                                       : is_nobodys ? -1
                                                    : axis.owner(whose),
                         .owned = owned,
                         .interior = axis.interior_local(p).contains(l)});
    }
    return cells;
}

/// The owners of all elements of one or two axes; cells_of(d) gives the cells of axis d.
template <class CellsOf>
impl::TextGrid owner_grid(const ArrayLayout& layout, const CellsOf& cells_of, bool marked) {
    const bool is_row = layout.rank() == 1;
    const std::vector<Cell> rows = is_row ? std::vector<Cell>(1) : cells_of(0);
    const std::vector<Cell> columns = cells_of(is_row ? 0 : 1);
    impl::TextGrid result;
    result.corner = is_row ? "element" : "";
    result.ruled = !is_row;
    for (const Cell& column : columns)
        result.column_heads.push_back(text(column.index, marked ? " " : ""));
    for (const Cell& row : rows) {
        result.row_heads.push_back(is_row ? "process" : text(row.index));
        std::vector<std::string>& line = result.cells.emplace_back();
        for (const Cell& column : columns) {
            const GridCoordinates at{is_row ? column.coordinate : row.coordinate,
                                     is_row ? 0 : column.coordinate};
            const bool owned = row.owned && column.owned;
            const bool interior = row.interior && column.interior;
            const char* open = !marked ? "" : interior ? " " : owned ? "[" : "(";
            const char* close = !marked    ? (row.shared || column.shared ? "+" : "")
                                : interior ? " "
                                : owned    ? "]"
                                           : ")";
            const bool is_nobodys = row.coordinate < 0 || column.coordinate < 0;
            line.push_back(text(open, is_nobodys ? "-" : text(layout.grid().process(at)), close));
        }
    }
    return result;
}

std::string coordinates_text(const ArrayLayout& layout, int process) {
    const GridCoordinates at = layout.coordinates(process);
    return tuple_text(std::vector<int>(at.begin(), at.begin() + layout.rank()));
}

/// "(92, 122)"; "?" for an extent that is not known here.
std::string extents_text(const ArrayLayout& layout, int process) {
    const GridCoordinates at = layout.coordinates(process);
    std::vector<std::string> extents;
    for (std::size_t d = 0; d < static_cast<std::size_t>(layout.rank()); ++d) {
        const AxisLayout& axis = layout_of(layout, d);
        extents.push_back(known(axis, at[d]) ? text(axis.local_extent(at[d])) : "?");
    }
    return tuple_text(extents);
}

/// A short text for the part of an axis that process p holds.
std::string range_text(const AxisLayout& axis, int p) {
    if (!known(axis, p)) return "?";
    if (axis.local_extent(p) == 0) return "none";
    const auto global = [&](std::int64_t l) { return axis.to_global(p, LocalIndex(l)).value(); };
    const auto range = [](std::int64_t begin, std::int64_t end) {
        return text('[', begin, ", ", end, ')');
    };
    if (axis.is_block()) {
        const GlobalRange owned = axis.as_block().owned(p);
        const Widths copies = axis.communication_padding(p);
        return text(copies.low ? text(copies.low, '+') : "", range(owned.begin, owned.end),
                    copies.high ? text('+', copies.high) : "");
    }

    const std::int64_t extent = axis.owned_local(p).size();
    const std::int64_t ghosts = axis.local_extent(p) - extent;
    const std::string copies = ghosts > 0 ? text('+', ghosts) : "";
    if (extent == 0) return copies;
    // The elements form pieces of equal length, the last one perhaps shorter. The text has all pieces, or the first two
    // and the last.
    const std::int64_t length = axis.type() == DistType::cyclic ? axis.as_cyclic().block_size() : 1;
    const std::int64_t pieces = (extent - 1) / length + 1;
    const auto piece_text = [&](std::int64_t piece) {
        const std::int64_t begin = piece * length;
        const std::int64_t end = begin + std::min(length, extent - begin);
        return length == 1 ? text(global(begin)) : range(global(begin), global(end - 1) + 1);
    };
    std::string all = piece_text(0);
    for (std::int64_t piece = 1; piece < pieces && all.size() <= most_characters; ++piece)
        all += ", " + piece_text(piece);
    if (all.size() <= most_characters || pieces < 4) return all + copies;
    return text(piece_text(0), ", ", piece_text(1), ", .., ", piece_text(pieces - 1), copies);
}

/// The least and the most elements that a process owns; empty if not everything is known.
std::string balance_text(const ArrayLayout& layout) {
    for (int d = 0; d < layout.rank(); ++d)
        if (partly_known(layout.axis(d))) return "";
    // If one axis is empty, the product of the others may not fit.
    for (int d = 0; d < layout.rank(); ++d)
        if (layout.axis(d).protocol_size() == 0) return "\n  each owns 0 elements";
    std::int64_t least = 1;
    std::int64_t most = 1;
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        std::int64_t axis_least = std::numeric_limits<std::int64_t>::max();
        std::int64_t axis_most = 0;
        for (int p = 0; p < axis.grid_size(); ++p) {
            axis_least = std::min(axis_least, axis.owned_local(p).size());
            axis_most = std::max(axis_most, axis.owned_local(p).size());
        }
        least *= axis_least;
        most *= axis_most;
    }
    return least == most ? text("\n  each owns ", least, most == 1 ? " element" : " elements")
                         : text("\n  each owns ", least, " to ", most, " elements");
}

std::string describe_table(const ArrayLayout& layout) {
    std::vector<std::vector<std::string>> rows(1, {"process", "at", "section"});
    bool copies = false;
    bool unknown = false;
    for (int d = 0; d < layout.rank(); ++d) {
        rows[0].push_back(text("axis ", d));
        copies = copies || has_copies(layout.axis(d));
        unknown = unknown || partly_known(layout.axis(d));
    }
    for (int process = 0; process < layout.process_count(); ++process) {
        if (layout.process_count() > most_processes && process == most_processes / 2) {
            rows.push_back({"..."});
            process = layout.process_count() - most_processes / 2;
        }
        std::vector<std::string>& row = rows.emplace_back();
        row = {text(process), coordinates_text(layout, process), extents_text(layout, process)};
        const GridCoordinates at = layout.coordinates(process);
        for (std::size_t d = 0; d < static_cast<std::size_t>(layout.rank()); ++d)
            row.push_back(range_text(layout_of(layout, d), at[d]));
    }
    return text("\n\nwhat each process holds", copies ? "; +: copies of neighbours' elements" : "",
                unknown ? "; ?: not known here" : "", '\n', impl::text_columns(rows, 2),
                balance_text(layout));
}

std::string describe_sections(const ArrayLayout& layout) {
    bool blocks_only = true;
    for (int d = 0; d < layout.rank(); ++d) blocks_only = blocks_only && layout.axis(d).is_block();
    std::string result = text("\n\nsections: (communication padding", blocks_only ? "" : ", ghosts",
                              "), [boundary padding]");
    for (int process = 0; process < layout.process_count(); ++process) {
        const GridCoordinates at = layout.coordinates(process);
        const auto cells = [&](std::size_t d) { return section_axis(layout_of(layout, d), at[d]); };
        result += text("\n  process ", process, " at ", coordinates_text(layout, process),
                       ", section ", extents_text(layout, process));
        const Extents extents = layout.local_extents(process);
        if (extents[0] > 0 && extents[1] > 0)
            result += "\n" + impl::text_grid(owner_grid(layout, cells, true), 4);
    }
    return result;
}

} // namespace

std::string draw(const ArrayLayout& layout) {
    std::string result = layout.describe();
    const int rank = layout.rank();
    if (rank == 0) return result + "\n\nits one element belongs to process 0";

    bool small = rank <= 2;
    bool padded = false;
    for (int d = 0; d < rank; ++d) {
        const AxisLayout& axis = layout.axis(d);
        const std::int64_t drawn = axis.protocol_size();
        small = small && drawn > 0 && drawn <= (rank == 1 ? most_cells_1d : most_cells_2d) &&
                !partly_known(axis);
        padded = padded || drawn > axis.size() || has_copies(axis);
    }
    if (!small) return result + describe_table(layout);

    bool shared = false;
    const auto cells = [&](std::size_t d) {
        std::vector<Cell> whole = whole_axis(layout_of(layout, d));
        for (const Cell& cell : whole) shared = shared || cell.shared;
        return whole;
    };
    const std::string map = impl::text_grid(owner_grid(layout, cells, false), 2);
    result += text("\n\nwho owns what", rank == 2 ? " (rows: axis 0, columns: axis 1)" : "",
                   shared ? "; +: on higher processes too" : "", '\n', map);
    // Without padding, the map shows everything except the order of elements in a section.
    return result + (padded && layout.process_count() <= most_processes ? describe_sections(layout)
                                                                        : describe_table(layout));
}

} // namespace distview
