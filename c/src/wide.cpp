// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wide.hpp"

#include <distview/core/checked_section.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::c {

namespace {

/// `values`, extended to max_rank values by `filling` before or behind them.
template <class T>
std::vector<T> filled(const std::vector<T>& values, const T& filling, Added added) {
    std::vector<T> result(max_rank - values.size(), filling);
    result.insert(added == Added::before ? result.end() : result.begin(), values.begin(),
                  values.end());
    return result;
}

/// Checks that a View of the array is possible, before axes are added: errors name the program's axes.
void check_view(const AnySection& section) {
    require<ShapeError>(section.device.host_accessible(), [&] {
        return text("distview_array: expected memory that the host can access, got device type ",
                    static_cast<int>(section.device.type));
    });
    const std::int64_t bytes = section.element.bytes;
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        const std::int64_t stride = section.strides[d];
        const bool moves = section.extents[d] > 1 && section.count() > 0;
        require<ShapeError>(!moves || (stride >= 0 && stride % bytes == 0), [&] {
            return text("distview_array: expected strides that are positive multiples of the ",
                        bytes, " bytes of an element, got ", stride, " along axis ", d);
        });
    }
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

void check_may_write(const distview_array& array, const char* function) {
    require<ShapeError>(!array.view.section().read_only, [&] {
        return text(function, ": expected an array that may be written, got a read-only one");
    });
}

AnyDistView widened(const AnyDistView& view, Added added, bool as_bytes) {
    AnySection section = view.section();
    check_view(section);
    if (as_bytes) {
        section.element.kind = ElementKind::opaque;
        section.read_only = false; // see check_may_write()
    }
    section.extents = filled(section.extents, std::int64_t{1}, added);
    section.strides = filled(section.strides, section.element.bytes, added);
    const AnyDistView wide(section, widened(view.layout(), added), view.process());
    // The checking mode treats the widened array as another array: give it the label, too.
    if (const auto& state = state_of(view); state && state->checked)
        wide.set_label(state->checked->label());
    return wide;
}

} // namespace distview::c
