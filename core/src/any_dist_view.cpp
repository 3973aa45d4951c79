// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/any_dist_view.hpp>

#include <distview/core/text.hpp>

#include "protocol_arithmetic.hpp"

#include <algorithm>

namespace distview {

namespace {

bool has_strides(const AnySection& section, const std::vector<std::int64_t>& expected) {
    if (section.count() == 0) return true;
    for (std::size_t d = 0; d < section.extents.size(); ++d)
        if (section.extents[d] != 1 && section.strides[d] != expected[d]) return false;
    return true;
}

std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& extents,
                                          std::int64_t element_bytes) {
    std::vector<std::int64_t> reversed(extents.rbegin(), extents.rend());
    std::vector<std::int64_t> strides = AnySection::contiguous_strides(reversed, element_bytes);
    std::reverse(strides.begin(), strides.end());
    return strides;
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
        // Where this is too much the section is empty, and any stride will do.
        stride = protocol::impl::checked_product(stride, std::max<std::int64_t>(extents[d], 1))
                     .value_or(element_bytes);
    }
    return strides;
}

bool AnySection::is_contiguous() const noexcept {
    if (count() == 0) return true;
    std::int64_t stride = element.bytes;
    for (std::size_t d = extents.size(); d-- > 0;) {
        if (extents[d] == 1) continue;
        if (strides[d] != stride) return false;
        stride *= extents[d];
    }
    return true;
}

void impl::check_section(const AnySection& section, const ArrayLayout& layout, int process) {
    require<UsageError>(process >= 0 && process < layout.process_count(), [&] {
        return text("AnyDistView: expected a process in [0, ", layout.process_count(), "), got ",
                    process);
    });
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
}

std::vector<std::size_t> impl::checked_strides(const AnySection& section,
                                               const ViewRequirements& required) {
    require<ShapeError>(section.rank() == required.rank, [&] {
        return text("dist_view_cast: expected ", required.rank, " axes, the array has ",
                    section.rank());
    });
    require<ShapeError>(section.element == required.element, [&] {
        return text("dist_view_cast: expected elements of type ", describe(required.element),
                    ", the array's are ", describe(section.element));
    });
    require<ShapeError>(!required.writes || !section.read_only,
                        "dist_view_cast: expected a View of const elements: the array's memory is "
                        "read-only");
    const bool reachable = required.on_host ? section.device.host_accessible()
                                            : section.device.type == required.device;
    require<ShapeError>(reachable, [&] {
        return text("dist_view_cast: the View's memory space does not reach memory of device type ",
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
    const bool fits = required.order == ViewRequirements::Order::right ? section.is_contiguous()
                      : required.order == ViewRequirements::Order::left
                          ? has_strides(section, fortran_strides(section.extents, bytes))
                          : true;
    require<ShapeError>(fits, [&] {
        return text("dist_view_cast: expected elements without gaps in ",
                    required.order == ViewRequirements::Order::right ? "C" : "Fortran",
                    " order, the array has the extents ", tuple_text(section.extents),
                    " and strides of ", tuple_text(section.strides), " bytes");
    });
    std::vector<std::size_t> strides;
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        // Along an axis without steps any stride will do.
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
