// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/dlpack.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace distview::protocol {

namespace {

/// A tensor with the memory to which its pointers point.
template <class Managed>
struct Holder {
    Managed managed{};
    std::shared_ptr<const void> owner;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;

    static void destroy(Managed* self) { delete static_cast<Holder*>(self->manager_ctx); }
};

/// Rule D11: whether DLPack and this library know such elements.
bool is_known(ElementKind kind, std::int64_t bits) {
    switch (kind) {
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer: return bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case ElementKind::floating_point: return bits == 16 || bits == 32 || bits == 64;
    case ElementKind::complex: return bits == 32 || bits == 64 || bits == 128;
    case ElementKind::bfloat: return bits == 16;
    case ElementKind::boolean: return bits == 8;
    case ElementKind::opaque: break;
    }
    return false;
}

/// Rules D8 to D13. Extents and strides are always filled in, and the offset is always 0, because some consumers
/// do not read it.
template <class Managed>
std::unique_ptr<Managed, impl::CallDeleter> managed_of(const AnySection& section) {
    require<ShapeError>(is_known(section.element.kind, 8 * section.element.bytes), [&] {
        return text("to_dlpack: DLPack has no type for ", distview::describe(section.element));
    });
    require<UsageError>(section.data || section.count() == 0,
                        "to_dlpack: expected the address of the elements, got null");
    auto holder = std::make_unique<Holder<Managed>>();
    holder->owner = section.owner;
    holder->shape = section.extents;
    for (std::size_t d = 0; d < section.strides.size(); ++d) {
        std::int64_t stride = section.strides[d];
        // Along an axis of fewer than two elements the stride has no meaning.
        const bool is_used = section.extents[d] > 1 && section.count() > 0;
        if (!is_used && stride % section.element.bytes != 0) stride = section.element.bytes;
        require<ShapeError>(stride % section.element.bytes == 0, [&] {
            return text("to_dlpack: expected strides that are multiples of the ",
                        section.element.bytes, " bytes of an element, got ", stride);
        });
        holder->strides.push_back(stride / section.element.bytes);
    }
    dlpack::Tensor& tensor = holder->managed.tensor;
    tensor.data = section.count() == 0 ? nullptr : section.data;
    tensor.device = {static_cast<std::int32_t>(section.device.type), section.device.id};
    tensor.ndim = section.rank();
    tensor.dtype = {static_cast<std::uint8_t>(section.element.kind),
                    static_cast<std::uint8_t>(8 * section.element.bytes), 1};
    tensor.shape = holder->shape.data();
    tensor.strides = holder->strides.data();
    holder->managed.manager_ctx = holder.get();
    holder->managed.deleter = Holder<Managed>::destroy;
    return std::unique_ptr<Managed, impl::CallDeleter>(&holder.release()->managed);
}

ElementType element_of(const dlpack::DataType& type) {
    const auto kind = static_cast<ElementKind>(type.code);
    const int bits = type.bits;
    require<ShapeError>(is_known(kind, bits) && type.lanes == 1, [&] {
        return text("from_dlpack: elements of DLPack's type code ", int{type.code}, ", ", bits,
                    " bits, ", type.lanes, " lanes are not supported");
    });
    return {kind, bits / 8};
}

AnySection section_of(const dlpack::Tensor& tensor, bool read_only) {
    AnySection section;
    section.element = element_of(tensor.dtype);
    require<UsageError>(tensor.ndim >= 0 && tensor.ndim <= max_rank, [&] {
        return text("from_dlpack: expected 0 to ", max_rank, " axes, got a tensor of ", tensor.ndim,
                    " axes");
    });
    require<UsageError>(tensor.ndim == 0 || tensor.shape, [&] {
        return text("from_dlpack: expected the shape of ", tensor.ndim, " axes, got null");
    });
    section.device = {static_cast<DeviceType>(tensor.device.type), tensor.device.id};
    if (section.device.host_accessible()) section.device.id = 0; // D13: belongs to no single device
    section.read_only = read_only;
    for (int d = 0; d < tensor.ndim; ++d) {
        require<ShapeError>(tensor.shape[d] >= 0, [&] {
            return text("from_dlpack: expected extents >= 0, got ", tensor.shape[d]);
        });
        section.extents.push_back(tensor.shape[d]);
        if (!tensor.strides) continue;
        std::int64_t bytes = 0;
        require<ShapeError>(
            !__builtin_mul_overflow(tensor.strides[d], section.element.bytes, &bytes), [&] {
                return text("from_dlpack: expected strides within 2^63-1 bytes, got ",
                            tensor.strides[d], " elements along axis ", d);
            });
        section.strides.push_back(bytes);
    }
    if (!tensor.strides) // D8
        section.strides = AnySection::contiguous_strides(section.extents, section.element.bytes);
    section.data = tensor.data;
    const bool is_empty = std::ranges::find(section.extents, 0) != section.extents.end();
    if (is_empty) return section;
    require<UsageError>(tensor.data, "from_dlpack: expected the address of the elements, got null");
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    require<UsageError>(
        tensor.byte_offset <= std::min(most, std::numeric_limits<std::uintptr_t>::max() - address),
        [&] {
            return text("from_dlpack: expected a byte_offset within the address space, got ",
                        tensor.byte_offset);
        });
    section.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    distview::impl::check_memory(section, "from_dlpack");
    return section;
}

template <class Managed>
std::shared_ptr<Managed> taken_over(Managed* tensor) {
    require<UsageError>(tensor != nullptr, "from_dlpack: expected a tensor, got null");
    return {tensor, impl::CallDeleter()};
}

} // namespace

DlpackTensor to_dlpack(const AnySection& section, bool is_copied) {
    DlpackTensor result = managed_of<dlpack::ManagedVersioned>(section);
    result->major = dlpack::major_version;
    result->minor = dlpack::minor_version;
    result->flags =
        (section.read_only ? dlpack::flag_read_only : 0) | (is_copied ? dlpack::flag_is_copied : 0);
    return result;
}

LegacyDlpackTensor to_legacy_dlpack(const AnySection& section) {
    require<ShapeError>(!section.read_only,
                        "to_dlpack: the memory is read-only, which DLPack before 1.0 cannot "
                        "express: call with max_version=(1, 0)");
    return managed_of<dlpack::Managed>(section);
}

AnySection from_dlpack(dlpack::ManagedVersioned* tensor) {
    auto owner = taken_over(tensor);
    // D3: in a struct of another version only the deleter may be used.
    require<UsageError>(tensor->major == dlpack::major_version, [&] {
        return text("from_dlpack: DLPack version ", tensor->major, '.', tensor->minor,
                    " is not supported, expected 1.x");
    });
    AnySection section = section_of(tensor->tensor, (tensor->flags & dlpack::flag_read_only) != 0);
    section.owner = std::move(owner);
    return section;
}

AnySection from_dlpack(dlpack::Managed* tensor) {
    auto owner = taken_over(tensor);
    AnySection section = section_of(tensor->tensor, false);
    section.owner = std::move(owner);
    return section;
}

void make_safe(DeviceRuntime* runtime, const AnySection& section, std::int64_t consumer) {
    require<UsageError>(consumer >= -1,
                        [&] { return text("to_dlpack: expected a stream >= -1, got ", consumer); });
    if (consumer == -1) return;
    require<UsageError>(section.device.type != DeviceType::cpu, [&] {
        return text("to_dlpack: expected no stream for host memory, got ", consumer);
    });
    require<UsageError>(consumer != 0,
                        "to_dlpack: stream 0 is ambiguous: pass 1 (legacy default) or 2 "
                        "(per-thread default)");
    const auto waiting = static_cast<StreamNumber>(consumer);
    if (section.stream == no_stream || section.stream == waiting) return; // D15
    require<UsageError>(runtime != nullptr,
                        "to_dlpack: work is pending on a stream, but this build has no device "
                        "support");
    runtime->wait(waiting, section.stream, section.device);
}

} // namespace distview::protocol
