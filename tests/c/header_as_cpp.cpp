// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the C face's header as C++, without warnings.
#include <distview/distview.h>

#include <cstdint>

int main() {
    distview_layout* layout = nullptr;
    const int grid = 1;
    distview_axis axis{};
    axis.extent = 5;
    if (distview_layout_create(1, &grid, &axis, &layout) != DISTVIEW_SUCCESS) return 1;
    std::int64_t extent = 0;
    const int status = distview_layout_extents(layout, &extent);
    distview_layout_release(layout);
    return status == DISTVIEW_SUCCESS && extent == 5 ? 0 : 1;
}
