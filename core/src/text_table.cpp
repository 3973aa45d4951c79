// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text_table.hpp"

#include <algorithm>
#include <cstddef>

namespace distview::impl {

namespace {

constexpr std::size_t line_width = 104;

std::string right(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
}

void add_line(std::string& lines, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines += (lines.empty() ? "" : "\n") + line;
}

} // namespace

std::string text_grid(const TextGrid& grid, int indent) {
    std::size_t head_width = grid.corner.size();
    for (const std::string& head : grid.row_heads) head_width = std::max(head_width, head.size());
    std::size_t width = 1;
    for (const std::string& head : grid.column_heads) width = std::max(width, head.size());
    for (const auto& row : grid.cells)
        for (const std::string& cell : row) width = std::max(width, cell.size());

    const std::string margin(static_cast<std::size_t>(indent), ' ');
    const std::size_t used = margin.size() + head_width + 2;
    std::size_t per_line =
        std::max<std::size_t>(1, line_width > used ? (line_width - used) / (width + 1) : 1);
    // Readers count columns more easily in multiples of 10.
    if (per_line < grid.column_heads.size() && per_line > 10) per_line -= per_line % 10;
    std::string lines;
    for (std::size_t begin = 0; begin < grid.column_heads.size(); begin += per_line) {
        const std::size_t end = std::min(begin + per_line, grid.column_heads.size());
        const auto add_row = [&](const std::string& head, const std::vector<std::string>& cells) {
            std::string line = margin + right(head, head_width) + " |";
            for (std::size_t i = begin; i < end; ++i) line += " " + right(cells[i], width);
            add_line(lines, line);
        };
        if (begin > 0) lines += '\n';
        add_row(grid.corner, grid.column_heads);
        if (grid.ruled)
            add_line(lines, margin + std::string(head_width + 1, '-') + '+' +
                                std::string((end - begin) * (width + 1), '-'));
        for (std::size_t i = 0; i < grid.cells.size(); ++i)
            add_row(grid.row_heads[i], grid.cells[i]);
    }
    return lines;
}

std::string text_columns(const std::vector<std::vector<std::string>>& rows, int indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string lines;
    for (const auto& row : rows) {
        std::string line(static_cast<std::size_t>(indent), ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += (i ? "  " + row[i] + padding : padding + row[i]);
        }
        add_line(lines, line);
    }
    return lines;
}

} // namespace distview::impl
