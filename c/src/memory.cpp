// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"

#include "guard.hpp"

#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <cstddef>

namespace distview::c {

namespace {

constexpr std::int32_t kind_step = 1 << 24;

bool has_size(ElementKind kind, std::int32_t bytes) noexcept {
    const bool is_number = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    switch (kind) {
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer: return is_number;
    case ElementKind::floating_point: return (is_number && bytes > 1) || bytes == 16;
    case ElementKind::bfloat: return bytes == 2;
    case ElementKind::complex: return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
    case ElementKind::boolean: return bytes == 1;
    case ElementKind::opaque: break;
    }
    return bytes > 0;
}

} // namespace

ElementType element_of(std::int32_t element, const char* function) {
    const std::int32_t kind = element / kind_step;
    const std::int32_t bytes = element % kind_step;
    const bool is_kind = element > 0 && kind <= static_cast<int>(ElementKind::boolean);
    require<UsageError>(is_kind && has_size(static_cast<ElementKind>(kind), bytes), [&] {
        return text(function, ": expected an element type of types.h, got ", element,
                    " (opaque elements are smaller than 16 MiB)");
    });
    return {static_cast<ElementKind>(kind), bytes};
}

std::int32_t number_of(const ElementType& element) noexcept {
    return static_cast<std::int32_t>(element.kind) * kind_step +
           static_cast<std::int32_t>(element.bytes);
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& extents,
                                     std::int64_t element_bytes, int order) {
    if (order == DISTVIEW_ROW_MAJOR) return AnySection::contiguous_strides(extents, element_bytes);
    std::vector<std::int64_t> strides = AnySection::contiguous_strides(
        std::vector<std::int64_t>(extents.rbegin(), extents.rend()), element_bytes);
    std::reverse(strides.begin(), strides.end());
    return strides;
}

AnySection section_of(const distview_memory& memory, const char* function) {
    require<UsageError>(memory.rank >= 0 && memory.rank <= max_rank, [&] {
        return text(function, ": expected from 0 to ", max_rank, " axes, got ", memory.rank);
    });
    require<UsageError>(
        memory.order >= DISTVIEW_ROW_MAJOR && memory.order <= DISTVIEW_STRIDED,
        [&] { return text(function, ": expected an order in [0, 3), got ", memory.order); });
    AnySection section;
    section.data = memory.data;
    section.element = element_of(memory.element, function);
    section.extents.assign(memory.extents, memory.extents + memory.rank);
    if (memory.order == DISTVIEW_STRIDED)
        section.strides.assign(memory.strides, memory.strides + memory.rank);
    else
        section.strides = strides_of(section.extents, section.element.bytes, memory.order);
    section.read_only = memory.read_only != 0;
    if (memory.device_type != DISTVIEW_HOST)
        section.device = {static_cast<DeviceType>(memory.device_type), memory.device_id};
    require<UsageError>(memory.data || section.count() == 0, [&] {
        return text(function, ": expected memory of ", section.count(),
                    " elements, got a null pointer");
    });
    return section;
}

distview_memory memory_of(const AnyDistView& view) noexcept {
    const AnySection& section = view.section();
    distview_memory memory{};
    memory.data = section.data;
    memory.element = number_of(section.element);
    memory.rank = section.rank();
    std::copy(section.extents.begin(), section.extents.end(), memory.extents);
    std::copy(section.strides.begin(), section.strides.end(), memory.strides);
    memory.order = DISTVIEW_STRIDED;
    memory.read_only = section.read_only ? 1 : 0;
    if (section.device.type != DeviceType::cpu) {
        memory.device_type = static_cast<std::int32_t>(section.device.type);
        memory.device_id = section.device.id;
    }
    return memory;
}

} // namespace distview::c
