// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "registers.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/dlpack.hpp>
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

// DLPack

constexpr const char* legacy_name = "dltensor";
constexpr const char* versioned_name = "dltensor_versioned";

/// Converts core's errors to BufferError, which DLPack consumers and producers expect, with the name of the call.
template <class Function>
auto with_buffer_errors(const char* caller, Function&& function) {
    try {
        return function();
    } catch (const Error& error) {
        const std::string words = error.what(); // "to_dlpack: ..."
        raise_buffer_error(caller + words.substr(words.find(':')));
    }
}

/// Calls the deleter of a capsule that nobody consumed (rule D6).
template <class Managed>
void destroy_capsule(PyObject* capsule, const char* name) {
    if (!PyCapsule_IsValid(capsule, name)) return; // consumed: renamed
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter) managed->deleter(managed);
}

nb::object dlpack_capsule(const Array& array, bool versioned, bool copied) {
    const AnySection& section = array.state->section();
    PyObject* capsule = nullptr;
    if (versioned) {
        auto tensor =
            with_buffer_errors("__dlpack__", [&] { return protocol::to_dlpack(section, copied); });
        capsule = PyCapsule_New(tensor.get(), versioned_name, [](PyObject* self) {
            destroy_capsule<dlpack::ManagedVersioned>(self, versioned_name);
        });
        if (capsule) (void)tensor.release();
    } else {
        auto tensor =
            with_buffer_errors("__dlpack__", [&] { return protocol::to_legacy_dlpack(section); });
        capsule = PyCapsule_New(tensor.get(), legacy_name, [](PyObject* self) {
            destroy_capsule<dlpack::Managed>(self, legacy_name);
        });
        if (capsule) (void)tensor.release();
    }
    if (!capsule) throw nb::python_error();
    return nb::steal(capsule);
}

/// Renames the capsule, which passes ownership of the tensor to this module, and imports the tensor.
template <class Managed>
AnySection consume(nb::handle capsule, const char* name, const char* used_name) {
    auto* tensor = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw nb::python_error();
    return with_buffer_errors("wrap", [&] { return protocol::from_dlpack(tensor); });
}

Array import_dlpack(nb::handle capsule) {
    protocol::ExportedSection exported;
    if (PyCapsule_IsValid(capsule.ptr(), versioned_name))
        exported.section =
            consume<dlpack::ManagedVersioned>(capsule, versioned_name, "used_dltensor_versioned");
    else if (PyCapsule_IsValid(capsule.ptr(), legacy_name))
        exported.section = consume<dlpack::Managed>(capsule, legacy_name, "used_dltensor");
    else
        raise_buffer_error("wrap: expected a DLPack capsule that was not consumed before");
    const std::string format = format_of(exported.section.element);
    return {std::make_shared<ArrayState>(std::move(exported), format)};
}

// Other memory

/// Memory that is not part of an array yet: make_array() makes it a section.
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
        return text("wrap: elements of type '", shortened(typestr), "' are not supported");
    });
    protocol::ExportedSection exported;
    AnySection& section = exported.section;
    section.data = reinterpret_cast<void*>(address);
    section.element = *element;
    section.extents = extents;
    section.strides =
        strides.empty() ? AnySection::contiguous_strides(extents, element->bytes) : strides;
    require<ShapeError>(section.is_addressable(), [&] {
        return text("wrap: expected elements within 2^63-1 bytes and the addresses of memory, got "
                    "elements of ",
                    element->bytes, " bytes at ", section.data, ", along ", extents.size(),
                    " axes with ", section.strides.size(), " strides");
    });
    section.read_only = read_only;
    section.device = {static_cast<DeviceType>(device.first), device.second};
    if (section.device.host_accessible()) section.device.id = 0; // rule D13
    section.stream = stream;
    section.owner = keep_alive(owner);
    return {std::make_shared<ArrayState>(std::move(exported), format_of(*element))};
}

// The C struct of dap.h

constexpr const char* dap_name = "distview_dap_section";

nb::object dap_capsule(const Array& array, const std::string& version) {
    auto section = std::make_unique<distview_dap_section>();
    protocol::to_dap(array.state->exported(protocol::writable_version(version)), section.get());
    PyObject* capsule = PyCapsule_New(section.get(), dap_name, [](PyObject* self) {
        const char* name = PyCapsule_GetName(self); // a consumer renames it
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

void register_capsules(nb::module_& package) {
    using namespace nb::literals;
    package.def("dlpack_capsule", &dlpack_capsule, "array"_a, "versioned"_a, "copied"_a,
                "A capsule of the section: \"dltensor_versioned\" or \"dltensor\".");
    package.def("import_dlpack", &import_dlpack, "capsule"_a.none(),
                "The memory of a DLPack capsule, which is consumed.");
    package.def("memory_of_buffer", &memory_of_buffer, "object"_a.none(),
                "The memory of an object with the buffer protocol.");
    package.def("memory_at", &memory_at, "address"_a, "extents"_a, "strides"_a, "typestr"_a,
                "read_only"_a, "device"_a, "stream"_a, "owner"_a.none(),
                "Memory at an address; strides in bytes, empty for C order.");
    package.def("dap_capsule", &dap_capsule, "array"_a, "version"_a = "0.10.0",
                "A capsule \"distview_dap_section\" with the struct of distview/dap.h.");
}

} // namespace distview::python
