// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners of indices: layouts compute them for every process, without MPI and in one process.

#include <distview/core.hpp>

#include <cstdio>
#include <exception>

int main() try {
    using namespace distview;

    // 10 rows in blocks with one row of padding, 13 columns dealt out in pairs, over 2 x 3 processes.
    const ArrayLayout layout(ProcessGrid{2, 3}, {block(10, {.padding = 1}), block_cyclic(13, 2)});
    std::printf("%s\n\n", layout.describe().c_str());

    for (int process = 0; process < layout.process_count(); ++process) {
        const GridCoordinates at = layout.coordinates(process);
        const Extents extents = layout.local_extents(process);
        const BlockLayout& rows = layout.axis(0).as_block();
        std::printf(
            "process %d at (%d, %d) holds %2lld x %lld: it computes rows %2lld to %2lld, columns",
            process, at[0], at[1], static_cast<long long>(extents[0]),
            static_cast<long long>(extents[1]), static_cast<long long>(rows.interior(at[0]).begin),
            static_cast<long long>(rows.interior(at[0]).end - 1));
        const AxisLayout& columns = layout.axis(1);
        for (LocalIndex l(0); l < columns.local_extent(at[1]); ++l)
            std::printf(" %lld", static_cast<long long>(columns.to_global(at[1], l)));
        std::printf("\n");
    }

    const GlobalIndex element[] = {GlobalIndex(7), GlobalIndex(4)};
    std::printf("\nelement (7, 4) belongs to process %d\n", layout.owner(element));
} catch (const std::exception& error) {
    std::fprintf(stderr, "01_layouts: %s\n", error.what());
    return 1;
}
