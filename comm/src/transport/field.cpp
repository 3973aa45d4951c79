// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/field.hpp>

#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>
#include <distview/core/memory_overlap.hpp>
#include <distview/core/text.hpp>

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

void check_grid(const char* caller, const Communicator& comm, const ArrayLayout& layout) {
    require<UsageError>(layout.process_count() == comm.size(), [&] {
        return text(caller, ": expected a process grid for the ", comm.size(),
                    comm.size() == 1 ? " rank" : " ranks", " of the communicator, got ",
                    layout.grid().describe(), " = ", layout.process_count());
    });
}

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
