// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz_section.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace distview::fuzz {

namespace {

using namespace protocol;

enum Oddity : std::uint8_t {
    no_dims = 1,
    no_extents = 2,
    no_strides = 4,
    no_data = 8,
    other_abi = 16,
    is_released = 32,
    odd_address = 64
};

constexpr std::int64_t most_indices = 40;

/// The canonical form of each axis that one process can determine alone.
std::vector<std::optional<CanonicalAxis>> canonical_axes(const ExportedSection& section) {
    std::vector<std::optional<CanonicalAxis>> result;
    for (std::size_t d = 0; d < section.dim_data.size(); ++d) {
        try {
            result.emplace_back(
                canonical_axis(section.version, section.dim_data[d], section.section.extents[d]));
        } catch (const UsageError&) { // a padded, periodic axis in 0.9: needs the neighbours' data
            result.emplace_back();
        }
    }
    return result;
}

/// Checks that an accepted section conforms, and that export and import do not change it.
void check_taken(const ExportedSection& taken) {
    expect(!check_local(taken.version, taken.description(), taken.process),
           "from_dap took a section that does not conform");
    expect(!describe(taken.dim_data).empty(), "no description");

    distview_dap_section section{};
    to_dap(taken, &section);
    const ExportedSection again = from_dap(&section);
    expect(again.dim_data == taken.dim_data && again.version == taken.version &&
               again.section.data == taken.section.data &&
               again.section.extents == taken.section.extents &&
               again.section.strides == taken.section.strides &&
               again.section.element == taken.section.element &&
               again.section.device == taken.section.device &&
               again.section.stream == taken.section.stream && again.process == taken.process &&
               again.process_count == taken.process_count,
           "a section changed on its way through to_dap and from_dap");

    const auto axes = canonical_axes(taken);
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (!axes[d]) continue;
        // In 0.9 a dictionary may be impossible to write without the padding of the other processes.
        const bool can_be_said = axes[d]->axis_padding.has_value() || taken.version.is_0_10();
        if (!can_be_said) continue;
        const DimData dim = dim_data_of(taken.version, *axes[d]);
        expect(canonical_axis(taken.version, dim, taken.section.extents[d],
                              axes[d]->axis_padding) == *axes[d],
               "a canonical form changed on its way through a dictionary");
    }
}

/// Imports the section as a whole array; sections that are only a part of one must be rejected.
void check_whole(const ExportedSection& taken) {
    distview_dap_section section{};
    to_dap(taken, &section);
    try {
        const AnyDistView view = dist_view_from_dap(&section);
        expect(section.release == nullptr, "a taken section was left with the caller");
        expect(view.section().data == taken.section.data &&
                   view.section().extents == taken.section.extents,
               "the array is not the section");
        to_dap(view, &section, taken.version);
        const AnyDistView again = dist_view_from_dap(&section, view.layout(), 0);
        expect(again.layout() == view.layout(), "a layout changed on its way through a section");
    } catch (const ProtocolError& error) {
        if (error.code() != "grid_product" && error.code() != "size_sum" &&
            error.code() != "overflow")
            fail(error.what());
    } catch (const LayoutError&) { // blocks of more than 2^61 elements
        expect(section.release != nullptr, "a refused section changed hands");
    }
    if (section.release) section.release(&section);
}

} // namespace

FuzzSection::FuzzSection(Input& input) {
    const std::uint8_t oddities = input.byte();
    m_section.abi_major = oddities & other_abi ? 2 : DISTVIEW_DAP_ABI_MAJOR;
    m_section.abi_minor = input.byte();
    m_section.private_data = this;
    if (!(oddities & is_released))
        m_section.release = [](distview_dap_section* section) {
            ++static_cast<FuzzSection*>(section->private_data)->m_released;
            section->release = nullptr;
        };
    for (std::int32_t& number : m_section.version) number = input.integer32();
    m_section.ndim = input.integer32();
    m_section.element = {input.integer32(), input.integer32()};
    m_section.flags = input.byte();
    m_section.device_type = input.integer32();
    m_section.device_id = input.integer32();
    m_section.process = input.integer32();
    m_section.process_count = input.integer32();
    m_section.stream = static_cast<std::uint64_t>(input.integer());
    const auto axes = static_cast<std::size_t>(
        std::clamp<std::int32_t>(m_section.ndim, 0, std::int32_t{most_axes}));
    for (std::size_t d = 0; d < axes; ++d) read_dim(input, d);
    m_section.dims = oddities & no_dims ? nullptr : m_dims.data();
    m_section.extents = oddities & no_extents ? nullptr : m_extents.data();
    m_section.strides = oddities & no_strides ? nullptr : m_strides.data();
    m_section.data = oddities & odd_address ? reinterpret_cast<void*>(input.integer())
                     : oddities & no_data   ? nullptr
                                            : &m_element;
}

void FuzzSection::read_dim(Input& input, std::size_t axis) {
    distview_dap_dim& dim = m_dims[axis];
    m_extents[axis] = input.integer();
    m_strides[axis] = input.integer();
    dim.keys = static_cast<std::uint32_t>(input.byte()) | static_cast<std::uint32_t>(input.byte())
                                                              << 8;
    dim.dist_type = static_cast<char>(input.byte());
    dim.periodic = input.byte();
    dim.one_to_one = input.byte();
    for (std::int64_t* member :
         {&dim.size, &dim.proc_grid_size, &dim.proc_grid_rank, &dim.start, &dim.stop,
          &dim.padding[0], &dim.padding[1], &dim.block_size, &dim.indices_count})
        *member = input.integer();
    const std::int64_t count = dim.indices_count;
    for (std::int64_t i = 0; i < std::min(count, most_indices); ++i)
        m_indices[axis].push_back(input.integer());
    // A list shorter than the extent must not be passed as one of full length.
    const bool may_be_read = count <= most_indices || count > m_extents[axis];
    dim.indices = may_be_read && !m_indices[axis].empty() ? m_indices[axis].data() : nullptr;
}

std::vector<std::uint8_t> encode(const distview_dap_section& section) {
    Output out;
    out.byte(section.data ? 0 : no_data);
    out.byte(static_cast<std::uint8_t>(section.abi_minor));
    for (const std::int32_t number : section.version) out.integer(number);
    out.integer(section.ndim);
    out.integer(section.element.kind);
    out.integer(section.element.bytes);
    out.byte(static_cast<std::uint8_t>(section.flags));
    out.integer(section.device_type);
    out.integer(section.device_id);
    out.integer(section.process);
    out.integer(section.process_count);
    out.integer(static_cast<std::int64_t>(section.stream));
    for (std::int32_t d = 0; d < section.ndim; ++d) {
        const distview_dap_dim& dim = section.dims[d];
        out.integer(section.extents[d]);
        out.integer(section.strides[d]);
        out.byte(static_cast<std::uint8_t>(dim.keys & 255));
        out.byte(static_cast<std::uint8_t>(dim.keys >> 8 & 255));
        out.byte(static_cast<std::uint8_t>(dim.dist_type));
        out.byte(dim.periodic);
        out.byte(dim.one_to_one);
        for (const std::int64_t number :
             {dim.size, dim.proc_grid_size, dim.proc_grid_rank, dim.start, dim.stop, dim.padding[0],
              dim.padding[1], dim.block_size, dim.indices_count})
            out.integer(number);
        for (std::int64_t i = 0; i < dim.indices_count; ++i) out.integer(dim.indices[i]);
    }
    return out.bytes();
}

void fuzz_section(Input& input) {
    FuzzSection made(input);
    distview_dap_section* const section = made.get();
    const bool was_released = section->release == nullptr;
    const bool has_our_abi = section->abi_major == DISTVIEW_DAP_ABI_MAJOR;
    ++reached().sections;
    try {
        const ExportedSection taken = from_dap(section);
        ++reached().sections_taken;
        expect(section->release == nullptr, "a taken section was left with the caller");
        check_taken(taken);
        check_whole(taken);
        expect(made.released() == 0, "a section was released while in use");
    } catch (const Error& error) {
        expect(std::string(error.what()).size() > 20, "an error without words");
        const bool kept = !was_released && has_our_abi;
        expect((section->release != nullptr) == kept, "a refused section changed hands");
        if (kept) section->release(section);
    }
    expect(made.released() == (was_released ? 0 : 1), "a section was not released once");
}

} // namespace distview::fuzz
