// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/field.hpp>

#include <distview/core/memory_overlap.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace distview::impl {

bool is_empty_section(const ArrayLayout& layout, int process) {
    const Extents extents = layout.local_extents(process);
    const auto end = extents.begin() + layout.rank();
    return std::find(extents.begin(), end, 0) != end;
}

bool overlap(const Field& a, const Field& b) {
    if (!a.layout || !b.layout) return false;
    const Extents a_extents = a.layout->local_extents(a.process);
    const Extents b_extents = b.layout->local_extents(b.process);
    const auto places = [](const Field& field, const Extents& extents) {
        const auto rank = static_cast<std::size_t>(field.layout->rank());
        return ElementPlaces{field.data, field.element_size, std::span(extents).first(rank),
                             std::span(field.strides).first(rank)};
    };
    return memory_overlaps(places(a, a_extents), places(b, b_extents));
}

} // namespace distview::impl
