// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array_slots.hpp"

#include "array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t), "buffers share extents with sections");

/// The reason why a section cannot be exported as the requested kind of buffer; null if it can.
const char* refuse_buffer(const AnySection& section, int flags) {
    if (!section.device.host_accessible())
        return "this view is in device memory: use __cuda_array_interface__ or __dlpack__";
    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && section.read_only)
        return "this view is read-only";
    const bool wants_c = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const bool wants_f = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    const bool wants_any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    const bool is_c = section.is_contiguous();
    AnySection reversed;
    reversed.element = section.element;
    reversed.extents.assign(section.extents.rbegin(), section.extents.rend());
    reversed.strides.assign(section.strides.rbegin(), section.strides.rend());
    const bool is_f = reversed.is_contiguous();
    if ((wants_c || !takes_strides) && !is_c) return "this view is not contiguous in C order";
    if (wants_f && !is_f) return "this view is not contiguous in Fortran order";
    if (wants_any && !is_c && !is_f) return "this view is not contiguous";
    return nullptr;
}

/// The data that a Py_buffer points to. A copy, since attach() replaces the Array's section.
struct Lent {
    AnySection section;
    std::string format;
};

Array* initialised(PyObject* self) {
    const nb::handle object(self);
    if (!nb::inst_check(object) || !nb::inst_ready(object)) return nullptr;
    return nb::inst_ptr<Array>(object);
}

void fill(Py_buffer* buffer, int flags, const Array& array) {
    auto lent = std::make_unique<Lent>(Lent{array.state->section(), array.state->format()});
    const AnySection& section = lent->section;
    const auto wants = [&](int flag) { return (flags & flag) == flag; };
    const auto numbers = [](const std::vector<std::int64_t>& values) {
        return values.empty() ? nullptr
                              : reinterpret_cast<Py_ssize_t*>(const_cast<std::int64_t*>(values.data()));
    };
    // Some consumers treat a null pointer as a failure.
    alignas(std::max_align_t) static std::array<char, sizeof(std::max_align_t)> nothing{};
    buffer->buf = section.data ? section.data : nothing.data();
    buffer->itemsize = section.element.bytes;
    buffer->len = section.count() * section.element.bytes;
    buffer->readonly = section.read_only ? 1 : 0;
    buffer->ndim = wants(PyBUF_ND) ? section.rank() : 1; // without: a row of bytes
    buffer->format = wants(PyBUF_FORMAT) ? lent->format.data() : nullptr;
    buffer->shape = wants(PyBUF_ND) ? numbers(section.extents) : nullptr;
    buffer->strides = wants(PyBUF_STRIDES) ? numbers(section.strides) : nullptr;
    buffer->suboffsets = nullptr;
    // A new Array, not the exporting one: if a NumPy array is an attribute of its own DistView, it would keep that
    // DistView alive for ever, since NumPy's arrays take no part in garbage collection.
    buffer->obj = nb::cast(Array{array.state}).release().ptr();
    buffer->internal = lent.release();
}

extern "C" int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
    buffer->obj = nullptr;
    const Array* array = initialised(self);
    if (!array || !array->state) {
        PyErr_SetString(PyExc_BufferError, "this view was not initialised");
        return -1;
    }
    if (const char* why = refuse_buffer(array->state->section(), flags)) {
        PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    try {
        fill(buffer, flags, *array);
    } catch (const std::exception& failure) {
        PyErr_SetString(PyExc_BufferError, failure.what());
        return -1;
    }
    return 0;
}

extern "C" void release_buffer(PyObject*, Py_buffer* buffer) {
    delete static_cast<Lent*>(buffer->internal);
    buffer->internal = nullptr;
}

// An object may refer to a DistView of its own memory. Visit only objects that this Array alone keeps alive: a reference
// counted twice would free an object in use. A slice keeps the memory alive as well: hence an object that keeps a slice of
// its own memory is not found.

/// The objects that only this Array keeps alive.
std::array<PyObject*, 2> held_by(const Array* array) {
    if (!array || array->state.use_count() != 1) return {};
    return sole_objects(array->state->section().owner);
}

extern "C" int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    for (PyObject* object : held_by(initialised(self))) Py_VISIT(object);
    return 0;
}

/// An empty section without axes, which replaces the state of an Array in a garbage cycle.
std::shared_ptr<ArrayState> cleared_state() {
    protocol::ExportedSection nothing;
    nothing.version = protocol::v0_10_0;
    nothing.section.element = {ElementKind::unsigned_integer, 1};
    return std::make_shared<ArrayState>(std::move(nothing), "B");
}

extern "C" int clear(PyObject* self) {
    Array* array = initialised(self);
    const auto [first, second] = held_by(array);
    if (!first && !second) return 0;
    try {
        const std::shared_ptr<ArrayState> dropped = std::exchange(array->state, cleared_state());
    } catch (const std::exception&) { // no memory: the cycle stays
    }
    return 0;
}

} // namespace

PyType_Slot array_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {0, nullptr},
};

} // namespace distview::python
