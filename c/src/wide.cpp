// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wide.hpp"

#include <cstddef>
#include <vector>

namespace distview::c {

namespace {

/// `values` with `filling` before or behind them, max_rank of them in all.
template <class T>
std::vector<T> filled(const std::vector<T>& values, const T& filling, Added added) {
    std::vector<T> result(max_rank - values.size(), filling);
    result.insert(added == Added::before ? result.end() : result.begin(), values.begin(),
                  values.end());
    return result;
}

} // namespace

ArrayLayout widened(const ArrayLayout& layout, Added added) {
    std::vector<int> grid;
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) {
        grid.push_back(layout.grid().extent(d));
        axes.push_back(axis_spec(layout.axis(d)));
    }
    if (layout.rank() == max_rank) return layout;
    return ArrayLayout(ProcessGrid(filled(grid, 1, added)), filled(axes, block(1), added));
}

AnyDistView widened(const AnyDistView& view, Added added, bool as_bytes) {
    AnySection section = view.section();
    if (as_bytes) section.element.kind = ElementKind::opaque;
    section.extents = filled(section.extents, std::int64_t{1}, added);
    section.strides = filled(section.strides, section.element.bytes, added);
    return AnyDistView(section, widened(view.layout(), added), view.process());
}

} // namespace distview::c
