// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/any_dist_view.hpp>

#include <distview/core/text.hpp>

#include "protocol_arithmetic.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace distview {

namespace {

/// Whether elements are contiguous, in C order or in Fortran order.
bool has_no_gaps(const AnySection& section, bool in_c_order) noexcept {
    if (section.count() == 0) return true;
    const std::size_t rank = section.extents.size();
    std::int64_t stride = section.element.bytes;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t d = in_c_order ? rank - 1 - i : i;
        if (section.extents[d] == 1) continue;
        if (section.strides[d] != stride) return false;
        stride *= section.extents[d];
    }
    return true;
}

} // namespace

std::int64_t AnySection::count() const noexcept {
    // Extents of an empty section may have a product of any size.
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
    std::int64_t result = 1;
    for (const std::int64_t extent : extents) result *= extent;
    return result;
}

std::vector<std::int64_t> AnySection::contiguous_strides(const std::vector<std::int64_t>& extents,
                                                         std::int64_t element_bytes) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t stride = element_bytes;
    for (std::size_t d = extents.size(); d-- > 0;) {
        strides[d] = stride;
        // If the product overflows, the section is empty, and any stride will do.
        stride = protocol::impl::checked_product(stride, std::max<std::int64_t>(extents[d], 1))
                     .value_or(element_bytes);
    }
    return strides;
}

bool AnySection::is_contiguous() const noexcept { return has_no_gaps(*this, true); }

namespace {

/// Distances in bytes from a section's data to its lowest byte and beyond its highest; empty if they, or the
/// number of bytes, exceed 2^63-1.
std::optional<std::pair<std::int64_t, std::int64_t>> reach_of(const AnySection& section) {
    using protocol::impl::checked_product;
    using protocol::impl::checked_sum;
    std::optional<std::int64_t> count = section.element.bytes;
    std::optional<std::int64_t> low = 0;
    std::optional<std::int64_t> high = section.element.bytes;
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        const std::int64_t stride = section.strides[d];
        if (stride == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
        const auto length = checked_product(stride < 0 ? -stride : stride, section.extents[d] - 1);
        std::optional<std::int64_t>& side = stride < 0 ? low : high;
        side = length ? checked_sum(*side, *length) : std::nullopt;
        count = checked_product(*count, section.extents[d]);
        if (!count || !side || !checked_sum(*low, *high)) return std::nullopt;
    }
    return std::pair(*low, *high);
}

} // namespace

bool AnySection::is_addressable() const noexcept {
    if (strides.size() != extents.size()) return false;
    if (std::ranges::any_of(extents, [](std::int64_t n) { return n < 0; })) return false;
    if (std::ranges::find(extents, 0) != extents.end()) return true;
    const auto reach = reach_of(*this);
    if (!reach) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    constexpr std::uintptr_t last = std::numeric_limits<std::uintptr_t>::max();
    return static_cast<std::uintptr_t>(reach->first) <= address &&
           static_cast<std::uintptr_t>(reach->second) <= last - address;
}

std::int64_t AnySection::alignment() const noexcept {
    if (element.kind == ElementKind::opaque || element.bytes < 1) return 1;
    const std::int64_t number =
        element.kind == ElementKind::complex ? element.bytes / 2 : element.bytes;
    return std::clamp<std::int64_t>(number & -number, 1, 16);
}

bool AnySection::is_aligned() const noexcept {
    if (count() == 0) return true;
    const std::int64_t multiple = alignment();
    if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(multiple) != 0)
        return false;
    for (std::size_t d = 0; d < extents.size(); ++d)
        if (extents[d] > 1 && strides[d] % multiple != 0) return false;
    return true;
}

void impl::check_memory(const AnySection& section, const char* caller) {
    require<ShapeError>(section.is_addressable(), [&] {
        return text(
            caller, ": expected elements within 2^63-1 bytes and within the address space, got ",
            "extents ", tuple_text(section.extents), ", strides ", tuple_text(section.strides),
            ", elements of ", section.element.bytes, " bytes and the address ", section.data);
    });
    require<ShapeError>(section.is_aligned(), [&] {
        return text(caller, ": expected elements at multiples of ", section.alignment(),
                    " bytes, got the address ", section.data, " and strides ",
                    tuple_text(section.strides));
    });
}

void impl::check_section(const AnySection& section, const ArrayLayout& layout, int process) {
    check_process(layout, process, "AnyDistView");
    check_known(layout, process, "AnyDistView");
    require<ShapeError>(
        section.rank() == layout.rank() && section.strides.size() == section.extents.size(), [&] {
            return text("AnyDistView: expected extents and strides of ", layout.rank(),
                        " axes, got ", section.rank(), " and ", section.strides.size());
        });
    const Extents extents = layout.local_extents(process);
    for (std::size_t d = 0; d < section.extents.size(); ++d)
        require<ShapeError>(section.extents[d] == extents[d], [&] {
            return text("AnyDistView: expected ", extents[d], " elements along axis ", d,
                        " of the section of process ", process, ", got ", section.extents[d]);
        });
    check_memory(section, "AnyDistView");
}

void impl::watch(const AnyDistView& array) {
    const AnySection& section = array.section();
    CheckedSection::Memory memory;
    memory.data = static_cast<char*>(section.data);
    memory.element = section.element;
    for (std::size_t d = 0; d < section.strides.size(); ++d) memory.strides[d] = section.strides[d];
    memory.on_host = section.device.host_accessible();
    memory.is_poisoned = memory.on_host && section.device.type == Device{}.type;
    memory.read_only = section.read_only;
    watch(state_of(array).get(), memory, array.layout(), array.process(), {});
}

void impl::set_label(const AnyDistView& array, const std::string& label) {
    if (const auto& state = state_of(array); state && state->checked)
        state->checked->set_label(label);
}

std::vector<std::size_t> impl::checked_strides(const AnySection& section,
                                               const ViewRequirements& required) {
    require<ShapeError>(section.rank() == required.rank, [&] {
        return text("dist_view_cast: expected ", required.rank, " axes, the array has ",
                    section.rank());
    });
    require<ShapeError>(section.element == required.element, [&] {
        return text("dist_view_cast: expected elements of type ", describe(required.element),
                    ", the array has ", describe(section.element));
    });
    require<ShapeError>(!required.writes || !section.read_only,
                        "dist_view_cast: expected a View of const elements: the array's memory is "
                        "read-only");
    // A View of memory that host and device share cannot refer to plain host memory.
    const bool reachable = required.device == DeviceType::cpu
                               ? section.device.host_accessible()
                               : section.device.type == required.device;
    require<ShapeError>(reachable, [&] {
        return text("dist_view_cast: the View's memory space cannot access memory of device type ",
                    static_cast<int>(section.device.type));
    });
    require<ShapeError>(section.count() == 0 ||
                            reinterpret_cast<std::uintptr_t>(section.data) % required.alignment ==
                                0,
                        [&] {
                            return text("dist_view_cast: expected elements aligned to ",
                                        required.alignment, " bytes, got address ", section.data);
                        });
    const std::int64_t bytes = section.element.bytes;
    const bool in_c_order = required.order == ViewRequirements::Order::right;
    const bool fits =
        required.order == ViewRequirements::Order::any || has_no_gaps(section, in_c_order);
    require<ShapeError>(fits, [&] {
        return text("dist_view_cast: expected elements without gaps in ",
                    in_c_order ? "C" : "Fortran", " order, the array has the extents ",
                    tuple_text(section.extents), " and strides of ", tuple_text(section.strides),
                    " bytes");
    });
    std::vector<std::size_t> strides;
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        // Along an axis of one element any stride will do.
        const bool moves = section.extents[d] > 1 && section.count() > 0;
        const std::int64_t stride = moves ? section.strides[d] : bytes;
        require<ShapeError>(stride >= 0 && stride % bytes == 0, [&] {
            return text("dist_view_cast: expected strides that are positive multiples of the ",
                        bytes, " bytes of an element, got ", stride, " along axis ", d);
        });
        strides.push_back(static_cast<std::size_t>(stride / bytes));
    }
    return strides;
}

} // namespace distview
