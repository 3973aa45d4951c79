// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/cuda_array_interface.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <utility>

namespace distview::protocol {

namespace {

constexpr const char* importer = "from_cuda_array_interface";

void check_shape(const CudaArrayInterface& interface, const ElementType& element) {
    require<ShapeError>(interface.shape.size() <= static_cast<std::size_t>(max_rank), [&] {
        return text(importer, ": expected at most ", max_rank, " axes, got ",
                    interface.shape.size());
    });
    require<ShapeError>(std::ranges::all_of(interface.shape, [](auto n) { return n >= 0; }), [&] {
        return text(importer, ": expected extents >= 0, got ", tuple_text(interface.shape));
    });
    if (!interface.strides) return;
    const std::vector<std::int64_t>& strides = *interface.strides;
    require<ShapeError>(strides.size() == interface.shape.size(), [&] {
        return text(importer, ": expected strides of ", interface.shape.size(), " axes, got ",
                    strides.size());
    });
    const bool is_empty = std::ranges::count(interface.shape, 0) > 0;
    for (std::size_t d = 0; d < strides.size() && !is_empty; ++d)
        require<ShapeError>(interface.shape[d] == 1 || strides[d] % element.bytes == 0, [&] {
            return text(importer, ": expected strides that are multiples of the ", element.bytes,
                        " bytes of an element, got ", tuple_text(strides));
        });
}

} // namespace

CudaArrayInterface to_cuda_array_interface(const AnySection& section) {
    require<UsageError>(section.device.cuda_accessible(), [&] {
        return text("to_cuda_array_interface: CUDA cannot read memory of device type ",
                    static_cast<int>(section.device.type));
    });
    CudaArrayInterface result;
    result.shape = section.extents;
    result.typestr = typestr_of(section.element);
    if (section.count() > 0) result.data = reinterpret_cast<std::uintptr_t>(section.data); // G6
    result.read_only = section.read_only;
    if (!section.is_contiguous()) {
        result.strides = section.strides;
        // Along an axis of one element any stride will do; PyTorch accepts only multiples of an element.
        for (std::size_t d = 0; d < section.extents.size(); ++d)
            if (section.extents[d] < 2 || section.count() == 0)
                (*result.strides)[d] = section.element.bytes;
    }
    if (section.stream != no_stream) result.stream = section.stream;
    return result;
}

AnySection from_cuda_array_interface(DeviceRuntime& runtime, const CudaArrayInterface& interface,
                                     std::shared_ptr<const void> owner, PendingWork pending) {
    require<UsageError>(interface.version >= 0, [&] {
        return text(importer, ": expected a version >= 0, got ", interface.version);
    });
    const std::optional<ElementType> element = parse_typestr(interface.typestr);
    require<UsageError>(element && element->kind != ElementKind::opaque, [&] {
        return text(importer, ": elements of type '", shortened(interface.typestr),
                    "' are not supported");
    });
    check_shape(interface, *element);
    require<UsageError>(interface.stream != no_stream,
                        [&] { return text(importer, ": stream 0 is ambiguous and not allowed"); });

    AnySection section;
    section.data = reinterpret_cast<void*>(interface.data);
    section.element = *element;
    section.extents = interface.shape;
    section.strides = interface.strides
                          ? *interface.strides
                          : AnySection::contiguous_strides(interface.shape, element->bytes);
    section.read_only = interface.read_only;
    section.device = {DeviceType::cuda, 0};
    section.owner = std::move(owner);
    if (std::ranges::find(section.extents, 0) == section.extents.end()) {
        require<UsageError>(interface.data != 0, [&] {
            return text(importer, ": expected the address of the elements, got null");
        });
        distview::impl::check_memory(section, importer);
        section.device = runtime.query_pointer(section.data);
        require<UsageError>(section.device.cuda_accessible(), [&] {
            return text(importer, ": expected device memory, got plain host memory");
        });
    }
    if (!interface.stream) return section;
    if (pending == PendingWork::finish)
        runtime.synchronize(*interface.stream, section.device);
    else
        section.stream = *interface.stream;
    return section;
}

} // namespace distview::protocol
