// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cctype>
#include <sstream>

namespace program {

distview::ProcessGrid grid_of_option(const std::string& value, int rank_count) {
    if (value.empty()) return distview::ProcessGrid::balanced(rank_count, 2);
    int rows = 0;
    int columns = 0;
    char x = 0;
    std::istringstream in(value);
    in >> std::noskipws;
    const bool starts_with_digit = std::isdigit(static_cast<unsigned char>(value[0])) != 0;
    const bool parsed = starts_with_digit && in >> rows >> x && std::isdigit(in.peek()) != 0 &&
                        in >> columns && in.peek() == EOF;
    distview::require<distview::UsageError>(parsed && x == 'x' && rows > 0 && columns > 0, [&] {
        return distview::text("--grid: expected PxQ, rows and columns of processes such as 3x2, "
                              "got '",
                              value, '\'');
    });
    distview::require<distview::UsageError>(
        static_cast<long long>(rows) * columns == rank_count, [&] {
            return distview::text("--grid: expected a grid of ", rank_count,
                                  " processes, as many as there are ranks, got ", value);
        });
    return distview::ProcessGrid{rows, columns};
}

} // namespace program
