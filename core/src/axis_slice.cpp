// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/axis_slice.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

namespace distview {

AxisSlice complete_slice(const AxisSlice& slice, std::int64_t size, const std::string& where) {
    require<LayoutError>(slice.step != 0,
                         [&] { return where + "expected a slice of step other than 0"; });
    require<LayoutError>(slice.count >= -1, [&] {
        return text(where, "expected a slice of count >= 0 (or -1, all), got ", slice.count);
    });
    require<LayoutError>(slice.begin >= 0 && slice.begin <= size, [&] {
        return text(where, "expected a slice that begins at a cell in [0, ", size, "], got ",
                    slice.begin);
    });
    std::int64_t most = 0;
    if (slice.begin < size)
        most = slice.step > 0 ? (size - 1 - slice.begin) / slice.step + 1
                              : 1 - slice.begin / slice.step;
    require<LayoutError>(slice.count <= most, [&] {
        return text(where, "expected a slice within the ", size, " interior cells, got ",
                    slice.count, " cells from ", slice.begin, " in steps of ", slice.step);
    });
    AxisSlice result = slice;
    if (result.count < 0) result.count = most;
    if (result.count < 2) result.step = 1;
    return result;
}

} // namespace distview
