// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/dap.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/text.hpp>

#include "protocol_dap_read.hpp"
#include "protocol_message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::protocol {

namespace {

/// The memory to which an exported section points until it is released.
struct Exported {
    std::array<distview_dap_dim, max_rank> dims;
    std::array<std::int64_t, max_rank> extents;
    std::array<std::int64_t, max_rank> strides;
    std::vector<DimData> dim_data{}; ///< `dims` points to its index lists
    std::shared_ptr<const void> owner{};
};

extern "C" {
static void distview_release_exported(distview_dap_section* section) {
    if (!section || !section->release) return;
    delete static_cast<Exported*>(section->private_data);
    section->private_data = nullptr;
    section->release = nullptr;
}
}

template <class Value, class Member>
void put(distview_dap_dim& out, std::uint32_t key, const std::optional<Value>& value,
         Member& member) {
    if (!value) return;
    out.keys |= key;
    member = static_cast<Member>(*value);
}

/// The struct of one dictionary; it points to the indices in `dim`.
distview_dap_dim dap_dim(const DimData& dim) {
    distview_dap_dim out{};
    if (dim.dist_type) {
        require<UsageError>(dim.dist_type->size() == 1, [&] {
            return text("to_dap: expected a dist_type of one letter, got ",
                        impl::quoted(*dim.dist_type));
        });
        out.keys |= DISTVIEW_DAP_DIST_TYPE;
        out.dist_type = dim.dist_type->front();
    }
    put(out, DISTVIEW_DAP_SIZE, dim.size, out.size);
    put(out, DISTVIEW_DAP_PROC_GRID_SIZE, dim.proc_grid_size, out.proc_grid_size);
    put(out, DISTVIEW_DAP_PROC_GRID_RANK, dim.proc_grid_rank, out.proc_grid_rank);
    put(out, DISTVIEW_DAP_START, dim.start, out.start);
    put(out, DISTVIEW_DAP_STOP, dim.stop, out.stop);
    if (dim.padding) {
        require<UsageError>(dim.padding->length == 2, [&] {
            return text("to_dap: expected a pair as padding, got ", dim.padding->length, " widths");
        });
        out.keys |= DISTVIEW_DAP_PADDING;
        out.padding[0] = dim.padding->low;
        out.padding[1] = dim.padding->high;
    }
    put(out, DISTVIEW_DAP_PERIODIC, dim.periodic, out.periodic);
    put(out, DISTVIEW_DAP_BLOCK_SIZE, dim.block_size, out.block_size);
    if (dim.indices) {
        out.keys |= DISTVIEW_DAP_INDICES;
        out.indices = dim.indices->data();
        out.indices_count = static_cast<std::int64_t>(dim.indices->size());
    }
    put(out, DISTVIEW_DAP_ONE_TO_ONE, dim.one_to_one, out.one_to_one);
    if (dim.has_other_keys) out.keys |= DISTVIEW_DAP_OTHER_KEYS;
    return out;
}

void fill_in(distview_dap_section* out, const Version& version, std::vector<DimData> dim_data,
             const AnySection& memory, int process, int process_count) {
    require<UsageError>(out, "to_dap: expected a section to fill in, got NULL");
    const std::size_t rank = memory.extents.size();
    require<UsageError>(rank <= static_cast<std::size_t>(max_rank) &&
                            memory.strides.size() == rank && dim_data.size() == rank,
                        [&] {
                            return text("to_dap: expected extents, strides and dictionaries of at "
                                        "most ",
                                        max_rank, " axes, got ", rank, ", ", memory.strides.size(),
                                        " and ", dim_data.size());
                        });
    require<UsageError>(memory.data || memory.count() == 0,
                        "to_dap: expected an array with memory, got a default-constructed one");
    require<UsageError>(memory.element.bytes > 0 &&
                            memory.element.bytes <= std::numeric_limits<std::int32_t>::max(),
                        [&] {
                            return text("to_dap: expected elements of 1 to 2^31-1 bytes, got ",
                                        memory.element.bytes);
                        });

    auto state = std::make_unique_for_overwrite<Exported>();
    state->dim_data = std::move(dim_data);
    state->owner = memory.owner;
    for (std::size_t d = 0; d < rank; ++d) {
        state->dims[d] = dap_dim(state->dim_data[d]);
        state->extents[d] = memory.extents[d];
        state->strides[d] = memory.strides[d];
    }

    distview_dap_section section{};
    section.abi_major = DISTVIEW_DAP_ABI_MAJOR;
    section.abi_minor = DISTVIEW_DAP_ABI_MINOR;
    section.release = distview_release_exported;
    section.version[0] = version.major;
    section.version[1] = version.minor;
    section.version[2] = version.patch;
    section.ndim = static_cast<std::int32_t>(rank);
    section.dims = state->dims.data();
    section.data = memory.data;
    section.extents = state->extents.data();
    section.strides = state->strides.data();
    section.element = {static_cast<std::int32_t>(memory.element.kind),
                       static_cast<std::int32_t>(memory.element.bytes)};
    section.flags = memory.read_only ? std::uint32_t{DISTVIEW_DAP_READ_ONLY} : 0U;
    section.device_type = static_cast<std::int32_t>(memory.device.type);
    section.device_id = memory.device.id;
    section.process = process;
    section.process_count = process_count;
    section.stream = memory.stream;
    section.private_data = state.release();
    *out = section;
}

/// A section taken over from its producer.
class Imported {
public:
    Imported() = default;
    Imported(const Imported&) = delete;
    Imported& operator=(const Imported&) = delete;
    ~Imported() {
        if (m_section.release) m_section.release(&m_section);
    }
    void take_over(distview_dap_section* in) noexcept {
        m_section = *in;
        in->release = nullptr;
    }

private:
    distview_dap_section m_section{};
};

/// The content of a section, and an owner that the caller lets take over the section once nothing can fail any more.
std::pair<ExportedSection, std::shared_ptr<Imported>> read(distview_dap_section* in) {
    require<UsageError>(in, "from_dap: expected a section, got NULL");
    require<UsageError>(in->release,
                        "from_dap: expected a section that is not released: its release is NULL");
    if (in->abi_major != DISTVIEW_DAP_ABI_MAJOR) {
        const std::uint32_t given = in->abi_major;
        in->release(in);
        throw UsageError(text("from_dap: expected a section of ABI version ",
                              DISTVIEW_DAP_ABI_MAJOR, ", got ", given));
    }
    std::pair result(impl::read_dap(*in), std::make_shared<Imported>());
    result.first.section.owner = result.second;
    return result;
}

/// Whether a dictionary describes its process as the layout does. A size that counts shared labels more
/// than once may differ, because a layout cannot hold it (layout_from_dim_data()).
bool agrees(const CanonicalAxis& given, const CanonicalAxis& expected) {
    if (given.kind != expected.kind || given.grid_size != expected.grid_size ||
        given.grid_rank != expected.grid_rank || given.periodic != expected.periodic)
        return false;
    switch (given.kind) {
    case DistType::block:
        return given.size == expected.size && given.owned == expected.owned &&
               given.communication == expected.communication && given.edges == expected.edges;
    case DistType::cyclic:
        return given.size == expected.size && given.block_size == expected.block_size;
    case DistType::unstructured: break;
    }
    return given.size >= expected.size && given.indices == expected.indices &&
           given.one_to_one == expected.one_to_one;
}

void check_against_layout(const ExportedSection& given, const ArrayLayout& layout, int process) {
    distview::impl::check_process(layout, process, "dist_view_from_dap");
    const int rank = given.section.rank();
    require<ShapeError>(rank == layout.rank(), [&] {
        return text("dist_view_from_dap: expected a section of ", layout.rank(), " axes, got ",
                    rank);
    });
    for (int d = 0; d < rank; ++d) {
        const CanonicalAxis expected = canonical_axis(layout, d, process);
        const auto i = static_cast<std::size_t>(d);
        const DimData& dim = given.dim_data[i];
        require<ShapeError>(agrees(canonical_axis(given.version, dim, given.section.extents[i],
                                                  expected.axis_padding),
                                   expected),
                            [&] {
                                return text("dist_view_from_dap: expected axis ", d, " of process ",
                                            process, " of\n", layout.describe(), "\ngot ",
                                            shortened(describe(dim), 160));
                            });
    }
}

} // namespace

void to_dap(const AnyDistView& view, distview_dap_section* out, const Version& version) {
    fill_in(out, version, export_dim_data(view.layout(), view.process(), version), view.section(),
            view.process(), view.layout().process_count());
}

void to_dap(const ExportedSection& exported, distview_dap_section* out) {
    fill_in(out, exported.version, exported.dim_data, exported.section, exported.process,
            exported.process_count);
}

ExportedSection from_dap(distview_dap_section* in) {
    auto [exported, owner] = read(in);
    owner->take_over(in);
    return std::move(exported);
}

AnyDistView dist_view_from_dap(distview_dap_section* in) {
    auto [exported, owner] = read(in);
    const SectionDescription description = exported.description();
    ArrayLayout layout = layout_from_dim_data(exported.version, std::span(&description, 1));
    AnyDistView view(std::move(exported.section), std::move(layout), 0);
    owner->take_over(in);
    return view;
}

AnyDistView dist_view_from_dap(distview_dap_section* in, const ArrayLayout& layout, int process) {
    auto [exported, owner] = read(in);
    check_against_layout(exported, layout, process);
    AnyDistView view(std::move(exported.section), layout, process);
    owner->take_over(in);
    return view;
}

// The structs are an interface between compilers and languages: no member may ever move.
static_assert(std::is_standard_layout_v<distview_dap_section> &&
              std::is_standard_layout_v<distview_dap_dim>);
static_assert(offsetof(distview_dap_section, abi_major) == 0);
static_assert(sizeof(distview_dap_element) == 8);
#if UINTPTR_MAX == UINT64_MAX
static_assert(sizeof(distview_dap_section) == 144);
static_assert(offsetof(distview_dap_section, abi_minor) == 4);
static_assert(offsetof(distview_dap_section, release) == 8);
static_assert(offsetof(distview_dap_section, private_data) == 16);
static_assert(offsetof(distview_dap_section, version) == 24);
static_assert(offsetof(distview_dap_section, ndim) == 36);
static_assert(offsetof(distview_dap_section, dims) == 40);
static_assert(offsetof(distview_dap_section, data) == 48);
static_assert(offsetof(distview_dap_section, extents) == 56);
static_assert(offsetof(distview_dap_section, strides) == 64);
static_assert(offsetof(distview_dap_section, element) == 72);
static_assert(offsetof(distview_dap_section, flags) == 80);
static_assert(offsetof(distview_dap_section, device_type) == 84);
static_assert(offsetof(distview_dap_section, device_id) == 88);
static_assert(offsetof(distview_dap_section, process) == 92);
static_assert(offsetof(distview_dap_section, process_count) == 96);
static_assert(offsetof(distview_dap_section, reserved0) == 100);
static_assert(offsetof(distview_dap_section, stream) == 104);
static_assert(offsetof(distview_dap_section, reserved) == 112);
static_assert(sizeof(distview_dap_dim) == 88);
static_assert(offsetof(distview_dap_dim, keys) == 0);
static_assert(offsetof(distview_dap_dim, dist_type) == 4);
static_assert(offsetof(distview_dap_dim, periodic) == 5);
static_assert(offsetof(distview_dap_dim, one_to_one) == 6);
static_assert(offsetof(distview_dap_dim, reserved) == 7);
static_assert(offsetof(distview_dap_dim, size) == 8);
static_assert(offsetof(distview_dap_dim, proc_grid_size) == 16);
static_assert(offsetof(distview_dap_dim, proc_grid_rank) == 24);
static_assert(offsetof(distview_dap_dim, start) == 32);
static_assert(offsetof(distview_dap_dim, stop) == 40);
static_assert(offsetof(distview_dap_dim, padding) == 48);
static_assert(offsetof(distview_dap_dim, block_size) == 64);
static_assert(offsetof(distview_dap_dim, indices) == 72);
static_assert(offsetof(distview_dap_dim, indices_count) == 80);
#endif
static_assert(static_cast<int>(ElementKind::boolean) == DISTVIEW_DAP_BOOL &&
              static_cast<int>(ElementKind::complex) == DISTVIEW_DAP_COMPLEX &&
              static_cast<int>(ElementKind::bfloat) == DISTVIEW_DAP_BFLOAT &&
              static_cast<int>(ElementKind::opaque) == DISTVIEW_DAP_OPAQUE &&
              static_cast<int>(ElementKind::floating_point) == DISTVIEW_DAP_FLOAT &&
              static_cast<int>(ElementKind::unsigned_integer) == DISTVIEW_DAP_UINT &&
              static_cast<int>(ElementKind::signed_integer) == DISTVIEW_DAP_INT);
static_assert(static_cast<int>(DeviceType::cpu) == DISTVIEW_DAP_CPU &&
              static_cast<int>(DeviceType::cuda) == DISTVIEW_DAP_CUDA &&
              static_cast<int>(DeviceType::cuda_host) == DISTVIEW_DAP_CUDA_HOST &&
              static_cast<int>(DeviceType::rocm) == DISTVIEW_DAP_ROCM &&
              static_cast<int>(DeviceType::rocm_host) == DISTVIEW_DAP_ROCM_HOST &&
              static_cast<int>(DeviceType::cuda_managed) == DISTVIEW_DAP_CUDA_MANAGED &&
              static_cast<int>(DeviceType::one_api) == DISTVIEW_DAP_ONE_API);

} // namespace distview::protocol
