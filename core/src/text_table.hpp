// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace distview::impl {

/// A grid of short texts with a head above every column and before every row.
struct TextGrid {
    std::string corner;
    bool ruled = true; ///< a line between the heads and the rows
    std::vector<std::string> column_heads;
    std::vector<std::string> row_heads;
    std::vector<std::vector<std::string>> cells; ///< by row
};

/// The grid as lines of at most 104 characters (where a column fits), every line indented: columns
/// that do not fit follow below. Neither blanks at the ends of lines nor a line break at the end.
std::string text_grid(const TextGrid& grid, int indent);

/// Rows as columns of equal width, numbers in the first to the right; rows may be short.
std::string text_columns(const std::vector<std::vector<std::string>>& rows, int indent);

} // namespace distview::impl
