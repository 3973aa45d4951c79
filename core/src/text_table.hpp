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

/// The grid as indented lines of at most 104 characters (if one column fits); columns that do not fit
/// follow below. Lines have no trailing blanks, and the text has no line break at its end.
std::string text_grid(const TextGrid& grid, int indent);

/// Rows with aligned columns, the first column aligned to the right; rows may be short.
std::string text_columns(const std::vector<std::vector<std::string>>& rows, int indent);

} // namespace distview::impl
