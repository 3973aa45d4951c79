// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol_dap_read.hpp"

#include <distview/core/error.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/protocol/validate.hpp>

#include "protocol_message.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::protocol {

namespace {

constexpr std::uint32_t known_keys = 2 * DISTVIEW_DAP_ONE_TO_ONE - 1;

// Rule K5 is the only rule that integers cannot break, so its code is not among the reason codes.
constexpr std::string_view bad_type = "bad_type";

/// Whether numbers of a kind have such a size on any machine; opaque elements may have any size.
bool is_possible(const ElementType& type) {
    const bool is_power_of_2 = (type.bytes & (type.bytes - 1)) == 0;
    switch (type.kind) {
    case ElementKind::boolean: return type.bytes == 1;
    case ElementKind::bfloat: return type.bytes == 2;
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer: return is_power_of_2 && type.bytes <= 16;
    case ElementKind::floating_point: return is_power_of_2 && type.bytes >= 2 && type.bytes <= 16;
    case ElementKind::complex: return is_power_of_2 && type.bytes >= 4 && type.bytes <= 32;
    case ElementKind::opaque: break;
    }
    return true;
}

ElementType read_element(const distview_dap_element& element) {
    require<UsageError>(element.kind >= DISTVIEW_DAP_INT && element.kind <= DISTVIEW_DAP_BOOL, [&] {
        return text("from_dap: expected an element kind from 0 to ", +DISTVIEW_DAP_BOOL, ", got ",
                    element.kind);
    });
    require<UsageError>(element.bytes > 0, [&] {
        return text("from_dap: expected elements of at least 1 byte, got ", element.bytes);
    });
    const ElementType type{static_cast<ElementKind>(element.kind), element.bytes};
    require<UsageError>(is_possible(type), [&] {
        return text("from_dap: expected an element size that exists for this kind, got ",
                    element.bytes, element.bytes == 1 ? " byte" : " bytes", " of kind ",
                    element.kind);
    });
    return type;
}

void read_memory(const distview_dap_section& in, AnySection& section) {
    const auto rank = static_cast<std::size_t>(in.ndim);
    require<UsageError>(rank == 0 || in.extents,
                        "from_dap: expected the extents of every axis, got NULL");
    section.data = in.data;
    section.element = read_element(in.element);
    section.extents.assign(in.extents, in.extents + rank);
    for (std::size_t d = 0; d < rank; ++d)
        require<UsageError>(section.extents[d] >= 0, [&] {
            return text("from_dap: expected extents >= 0, got ", section.extents[d], " along axis ",
                        d);
        });
    if (in.strides)
        section.strides.assign(in.strides, in.strides + rank);
    else
        section.strides = AnySection::contiguous_strides(section.extents, section.element.bytes);

    const auto& extents = section.extents;
    if (std::find(extents.begin(), extents.end(), 0) == extents.end()) {
        require<UsageError>(in.data, "from_dap: expected the address of the elements, got NULL");
        require<UsageError>(section.is_addressable(), [&] {
            return text("from_dap: expected elements within 2^63-1 bytes, got extents ",
                        tuple_text(extents), ", strides ",
                        in.strides ? tuple_text(section.strides) : "NULL", " and elements of ",
                        section.element.bytes, " bytes");
        });
        require<UsageError>(section.is_aligned(), [&] {
            return text("from_dap: expected elements at multiples of ", section.alignment(),
                        " bytes, got the address ", in.data, " and strides ",
                        tuple_text(section.strides));
        });
    }
    section.read_only = (in.flags & DISTVIEW_DAP_READ_ONLY) != 0;
    section.device = {static_cast<DeviceType>(in.device_type), in.device_id};
    section.stream = static_cast<std::uintptr_t>(in.stream);
}

/// Reads the members of one dictionary that are present.
class DimReader {
public:
    DimReader(const distview_dap_dim& in, std::int64_t extent, int axis, int process)
        : m_in(in), m_extent(extent), m_axis(axis), m_process(process) {}

    DimData read() const {
        DimData dim;
        dim.has_other_keys = (m_in.keys & ~known_keys) != 0;
        if (has(DISTVIEW_DAP_DIST_TYPE)) dim.dist_type.emplace(1, m_in.dist_type);
        if (has(DISTVIEW_DAP_SIZE)) dim.size = m_in.size;
        if (has(DISTVIEW_DAP_PROC_GRID_SIZE)) dim.proc_grid_size = m_in.proc_grid_size;
        if (has(DISTVIEW_DAP_PROC_GRID_RANK)) dim.proc_grid_rank = m_in.proc_grid_rank;
        if (has(DISTVIEW_DAP_START)) dim.start = m_in.start;
        if (has(DISTVIEW_DAP_STOP)) dim.stop = m_in.stop;
        if (has(DISTVIEW_DAP_PADDING)) dim.padding = PaddingValue{m_in.padding[0], m_in.padding[1]};
        if (has(DISTVIEW_DAP_PERIODIC)) dim.periodic = read_bool(m_in.periodic, "periodic");
        if (has(DISTVIEW_DAP_BLOCK_SIZE)) dim.block_size = m_in.block_size;
        if (has(DISTVIEW_DAP_INDICES)) read_indices(dim.indices.emplace());
        if (has(DISTVIEW_DAP_ONE_TO_ONE)) dim.one_to_one = read_bool(m_in.one_to_one, "one_to_one");
        return dim;
    }

private:
    bool has(std::uint32_t key) const { return (m_in.keys & key) != 0; }

    [[noreturn]] void refuse(std::string_view code, std::string_view key,
                             const std::string& what) const {
        const Violation found = impl::violation(code, m_process, m_axis, key, what);
        throw ProtocolError(found.message, found.code, found.axis, found.key, found.process);
    }

    bool read_bool(std::uint8_t value, std::string_view key) const {
        if (value > 1)
            refuse(bad_type, key,
                   text(impl::entry(m_axis, key), " is ", int{value}, ", expected 0 or 1"));
        return value == 1;
    }

    void read_indices(std::vector<std::int64_t>& indices) const {
        const std::int64_t count = m_in.indices_count;
        require<UsageError>(count >= 0, [&] {
            return text("from_dap: expected indices_count >= 0, got ", count, " on axis ", m_axis);
        });
        require<UsageError>(count == 0 || m_in.indices, [&] {
            return text("from_dap: expected ", count, " indices on axis ", m_axis, ", got NULL");
        });
        // Other types ignore the key. A list that is longer than the buffer cannot conform (U4),
        // and with a much too large count this function would read memory behind the list.
        if (!has(DISTVIEW_DAP_DIST_TYPE) || m_in.dist_type != 'u') return;
        if (count > m_extent)
            refuse(reason::shape_mismatch, "buffer",
                   text("dim_data[", m_axis, "] describes ", count,
                        count == 1 ? " local element" : " local elements", ", but buffer.shape[",
                        m_axis, "] is ", m_extent));
        indices.assign(m_in.indices, m_in.indices + count);
    }

    const distview_dap_dim& m_in;
    std::int64_t m_extent;
    int m_axis;
    int m_process;
};

void read_process(const distview_dap_section& in, ExportedSection& out) {
    const bool count_known = in.process_count != -1;
    require<UsageError>(in.process >= -1 && (!count_known || in.process_count > 0) &&
                            (!count_known || in.process < in.process_count),
                        [&] {
                            return text("from_dap: expected a process in [0, process_count) or -1, "
                                        "got process ",
                                        in.process, " of ", in.process_count);
                        });
    out.process = in.process;
    out.process_count = in.process_count;
}

} // namespace

ExportedSection impl::read_dap(const distview_dap_section& in) {
    require<UsageError>(in.ndim >= 0 && in.ndim <= max_rank, [&] {
        return text("from_dap: expected ndim from 0 to ", max_rank, ", got ", in.ndim);
    });
    require<UsageError>(in.ndim == 0 || in.dims,
                        "from_dap: expected the dimension data of every axis, got NULL");
    ExportedSection out;
    out.version = {in.version[0], in.version[1], in.version[2]};
    read_process(in, out);
    read_memory(in, out.section);

    SectionDescription description;
    description.extents = std::move(out.section.extents);
    description.dim_data.reserve(static_cast<std::size_t>(in.ndim));
    for (int d = 0; d < in.ndim; ++d)
        description.dim_data.push_back(
            DimReader(in.dims[d], description.extents[static_cast<std::size_t>(d)], d, in.process)
                .read());
    require_conforming(out.version, description, in.process);

    out.section.extents = std::move(description.extents);
    out.dim_data = std::move(description.dim_data);
    return out;
}

} // namespace distview::protocol
