// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "dlpack_abi.hpp"
#include "registers.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

[[noreturn]] void raise_buffer_error(const std::string& message) {
    PyErr_SetString(PyExc_BufferError, message.c_str());
    throw nb::python_error();
}

// DLPack, out

/// What a capsule's manager_ctx points to.
struct Exported {
    std::shared_ptr<const void> owner;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
};

template <class ManagedTensor>
struct Holder {
    ManagedTensor managed{};
    Exported exported;

    static void destroy(ManagedTensor* self) { delete static_cast<Holder*>(self->manager_ctx); }
};

/// Rules D8 to D13.
void describe(const AnySection& section, Exported& exported, dlpack::Tensor& tensor) {
    if (section.element.kind == ElementKind::opaque)
        raise_buffer_error(text("__dlpack__: DLPack has no type for ",
                                distview::describe(section.element)));
    exported.owner = section.owner;
    exported.shape = section.extents;
    for (const std::int64_t stride : section.strides) {
        if (stride % section.element.bytes != 0)
            raise_buffer_error("__dlpack__: strides are no multiples of the element size");
        exported.strides.push_back(stride / section.element.bytes);
    }
    tensor.data = section.count() == 0 ? nullptr : section.data;
    tensor.device = {static_cast<std::int32_t>(section.device.type), section.device.id};
    tensor.ndim = section.rank();
    tensor.dtype = {static_cast<std::uint8_t>(section.element.kind),
                    static_cast<std::uint8_t>(8 * section.element.bytes), 1};
    tensor.shape = exported.shape.data();
    tensor.strides = exported.strides.data();
    tensor.byte_offset = 0;
}

/// Calls the deleter of a capsule that nobody consumed (rule D6).
template <class ManagedTensor>
void destroy_capsule(PyObject* capsule, const char* name) {
    if (!PyCapsule_IsValid(capsule, name)) return; // consumed: renamed
    auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter) managed->deleter(managed);
}

constexpr const char* legacy_name = "dltensor";
constexpr const char* versioned_name = "dltensor_versioned";

nb::object dlpack_capsule(const Array& array, bool versioned, bool copied) {
    const AnySection& section = array.state->section();
    if (!versioned && section.read_only)
        raise_buffer_error("__dlpack__: this view is read-only, which a capsule of DLPack before "
                           "1.0 cannot say: ask with max_version=(1, 0)");
    PyObject* capsule = nullptr;
    if (versioned) {
        auto holder = std::make_unique<Holder<dlpack::ManagedVersioned>>();
        describe(section, holder->exported, holder->managed.tensor);
        dlpack::ManagedVersioned& managed = holder->managed;
        managed.major = dlpack::major_version;
        managed.minor = dlpack::minor_version;
        managed.flags = (section.read_only ? dlpack::flag_read_only : 0) |
                        (copied ? dlpack::flag_is_copied : 0);
        managed.manager_ctx = holder.get();
        managed.deleter = Holder<dlpack::ManagedVersioned>::destroy;
        capsule = PyCapsule_New(&managed, versioned_name, [](PyObject* self) {
            destroy_capsule<dlpack::ManagedVersioned>(self, versioned_name);
        });
        if (capsule) holder.release();
    } else {
        auto holder = std::make_unique<Holder<dlpack::Managed>>();
        describe(section, holder->exported, holder->managed.tensor);
        dlpack::Managed& managed = holder->managed;
        managed.manager_ctx = holder.get();
        managed.deleter = Holder<dlpack::Managed>::destroy;
        capsule = PyCapsule_New(&managed, legacy_name, [](PyObject* self) {
            destroy_capsule<dlpack::Managed>(self, legacy_name);
        });
        if (capsule) holder.release();
    }
    if (!capsule) throw nb::python_error();
    return nb::steal(capsule);
}

// DLPack, in

/// Rule D11; nothing for types that are not in its table.
std::optional<ElementType> element_of(const dlpack::DataType& type) {
    const auto kind = static_cast<ElementKind>(type.code);
    const int bits = type.bits;
    bool known = false;
    switch (kind) {
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer:
        known = bits == 8 || bits == 16 || bits == 32 || bits == 64;
        break;
    case ElementKind::floating_point: known = bits == 16 || bits == 32 || bits == 64; break;
    case ElementKind::complex: known = bits == 32 || bits == 64 || bits == 128; break;
    case ElementKind::bfloat: known = bits == 16; break;
    case ElementKind::boolean: known = bits == 8; break;
    case ElementKind::opaque: break;
    }
    if (!known || type.lanes != 1) return {};
    return ElementType{kind, bits / 8};
}

/// Rule D13: memory of no single device has number 0.
Device device_of(int type, int id) {
    const Device device{static_cast<DeviceType>(type), id};
    return {device.type, device.host_accessible() ? 0 : id};
}

AnySection section_of(const dlpack::Tensor& tensor, bool read_only) {
    const std::optional<ElementType> element = element_of(tensor.dtype);
    if (!element)
        raise_buffer_error(text("wrap: elements of DLPack's type code ", int{tensor.dtype.code},
                                ", ", int{tensor.dtype.bits}, " bits, ", tensor.dtype.lanes,
                                " lanes are not supported"));
    if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
        raise_buffer_error(text("wrap: a DLPack tensor of ", tensor.ndim, " axes without a shape"));
    AnySection section;
    section.element = *element;
    section.device = device_of(tensor.device.type, tensor.device.id);
    section.read_only = read_only;
    for (int d = 0; d < tensor.ndim; ++d) {
        if (tensor.shape[d] < 0)
            raise_buffer_error(text("wrap: a DLPack tensor with extent ", tensor.shape[d]));
        section.extents.push_back(tensor.shape[d]);
        if (tensor.strides) section.strides.push_back(tensor.strides[d] * section.element.bytes);
    }
    if (!tensor.strides) // D8
        section.strides = AnySection::contiguous_strides(section.extents, section.element.bytes);
    if (tensor.data) section.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    if (!section.data && section.count() > 0)
        raise_buffer_error("wrap: a DLPack tensor that has elements, but no data");
    return section;
}

template <class ManagedTensor>
std::shared_ptr<const void> take_over(nb::handle capsule, ManagedTensor* managed,
                                      const char* used_name) {
    // From here on the deleter is ours to call.
    if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw nb::python_error();
    return {managed, [](const void* held) {
                auto* tensor = static_cast<ManagedTensor*>(const_cast<void*>(held));
                if (tensor->deleter) tensor->deleter(tensor);
            }};
}

Array import_dlpack(nb::handle capsule) {
    AnySection section;
    if (PyCapsule_IsValid(capsule.ptr(), versioned_name)) {
        auto* managed = static_cast<dlpack::ManagedVersioned*>(
            PyCapsule_GetPointer(capsule.ptr(), versioned_name));
        const std::shared_ptr<const void> owner =
            take_over(capsule, managed, "used_dltensor_versioned");
        if (managed->major != dlpack::major_version) // D3: nothing else may be touched
            raise_buffer_error(text("wrap: DLPack version ", managed->major, '.', managed->minor,
                                    " is not supported, expected 1.x"));
        section = section_of(managed->tensor, (managed->flags & dlpack::flag_read_only) != 0);
        section.owner = owner;
    } else if (PyCapsule_IsValid(capsule.ptr(), legacy_name)) {
        auto* managed =
            static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule.ptr(), legacy_name));
        const std::shared_ptr<const void> owner = take_over(capsule, managed, "used_dltensor");
        section = section_of(managed->tensor, false);
        section.owner = owner;
    } else {
        raise_buffer_error("wrap: expected a DLPack capsule that nobody has consumed");
    }
    protocol::ExportedSection exported;
    exported.section = std::move(section);
    const std::string format = format_of(exported.section.element);
    return {std::make_shared<ArrayState>(std::move(exported), format)};
}

// Other memory

/// Memory with no place in an array yet: make_array() gives it one.
Array memory_of_buffer(nb::handle object) {
    const PythonBuffer buffer(object);
    protocol::ExportedSection exported;
    exported.section = buffer.section();
    return {std::make_shared<ArrayState>(std::move(exported), buffer.format())};
}

Array memory_at(std::uintptr_t address, const std::vector<std::int64_t>& extents,
                const std::vector<std::int64_t>& strides, const std::string& typestr,
                bool read_only, std::pair<int, int> device, std::uintptr_t stream,
                nb::handle owner) {
    const auto element = parse_typestr(typestr);
    require<UsageError>(element.has_value(), [&] {
        return text("wrap: elements of type '", typestr, "' are not supported");
    });
    protocol::ExportedSection exported;
    AnySection& section = exported.section;
    section.data = reinterpret_cast<void*>(address);
    section.element = *element;
    section.extents = extents;
    section.strides = strides.empty() ? AnySection::contiguous_strides(extents, element->bytes)
                                      : strides;
    section.read_only = read_only;
    section.device = device_of(device.first, device.second);
    section.stream = stream;
    section.owner = keep_alive(owner);
    return {std::make_shared<ArrayState>(std::move(exported), format_of(*element))};
}

// The C struct of dap.h

constexpr const char* dap_name = "distview_dap_section";

nb::object dap_capsule(const Array& array, const std::string& version) {
    auto section = std::make_unique<distview_dap_section>();
    protocol::to_dap(array.state->exported(protocol::supported_version(version)), section.get());
    PyObject* capsule = PyCapsule_New(section.get(), dap_name, [](PyObject* self) {
        const char* name = PyCapsule_GetName(self); // renamed where it was moved out
        auto* held = static_cast<distview_dap_section*>(PyCapsule_GetPointer(self, name));
        if (held->release) held->release(held);
        delete held;
    });
    if (!capsule) {
        section->release(section.get());
        throw nb::python_error();
    }
    section.release();
    return nb::steal(capsule);
}

} // namespace

void register_capsules(nb::module_& module) {
    using namespace nb::literals;
    module.def("dlpack_capsule", &dlpack_capsule, "array"_a, "versioned"_a, "copied"_a,
               "A capsule of the section: \"dltensor_versioned\" or \"dltensor\".");
    module.def("import_dlpack", &import_dlpack, "capsule"_a.none(),
               "The memory of a DLPack capsule, which is consumed.");
    module.def("memory_of_buffer", &memory_of_buffer, "object"_a,
               "The memory of an object with the buffer protocol.");
    module.def("memory_at", &memory_at, "address"_a, "extents"_a, "strides"_a, "typestr"_a,
               "read_only"_a, "device"_a, "stream"_a, "owner"_a.none(),
               "Memory at an address; strides in bytes, empty for C order.");
    module.def("dap_capsule", &dap_capsule, "array"_a, "version"_a = "0.10.0",
               "A capsule \"distview_dap_section\" with the struct of distview/dap.h.");
}

} // namespace distview::python
