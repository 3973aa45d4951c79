// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/field.hpp>

#include <distview/core/memory_overlap.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace distview::impl {

namespace {

ElementPlaces places_of(const Field& field, const Extents& extents) {
    const auto rank = static_cast<std::size_t>(field.layout->rank());
    return {field.data, field.element_size, std::span(extents).first(rank),
            std::span(field.strides).first(rank)};
}

} // namespace

bool is_empty_section(const ArrayLayout& layout, int process) {
    const Extents extents = layout.local_extents(process);
    const auto end = extents.begin() + layout.rank();
    return std::find(extents.begin(), end, 0) != end;
}

bool overlap(const Field& a, const Field& b) {
    if (!b.layout) return false;
    const Extents extents = b.layout->local_extents(b.process);
    return overlaps(a, places_of(b, extents));
}

bool overlaps(const Field& a, const ElementPlaces& b) {
    if (!a.layout) return false;
    const Extents extents = a.layout->local_extents(a.process);
    return memory_overlaps(places_of(a, extents), b);
}

} // namespace distview::impl
