// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_objects.hpp"

#include <distview/core/text.hpp>

#include <nanobind/stl/string.h>

#include <bit>
#include <cctype>
#include <cstddef>
#include <utility>

namespace distview::python {

namespace {

/// Runs `release` with the GIL; does nothing after the interpreter's end.
template <class Release>
void with_gil(Release&& release) noexcept {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    release();
    PyGILState_Release(state);
}

struct ReleaseBuffer {
    void operator()(Py_buffer* held) const noexcept {
        with_gil([&] { PyBuffer_Release(held); });
        delete held;
    }
};

struct ReleaseObject {
    void operator()(const void* held) const noexcept {
        with_gil([&] { Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held))); });
    }
};

using Both = std::array<std::shared_ptr<const void>, 2>;

struct ReleaseBoth {
    void operator()(const void* held) const noexcept { delete static_cast<const Both*>(held); }
};

/// The object that the owner keeps alive; null unless it is a single Python object and the owner is not shared.
PyObject* sole_object(const std::shared_ptr<const void>& owner) noexcept {
    if (owner.use_count() != 1) return nullptr;
    void* const held = const_cast<void*>(owner.get());
    if (std::get_deleter<ReleaseObject>(owner)) return static_cast<PyObject*>(held);
    if (std::get_deleter<ReleaseBuffer>(owner)) return static_cast<Py_buffer*>(held)->obj;
    return nullptr;
}

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

/// A format in standard sizes ('q' for a native 'l'), with an order only before letters of the other byte order.
std::string plain_format(std::string_view format) {
    std::string result;
    char order = '@';
    bool in_name = false; // inside a field's name, between colons
    for (const char letter : format) {
        if (letter == ':') in_name = !in_name;
        if (in_name || letter == ':') {
            result += letter;
            continue;
        }
        if (std::string_view("@^=<>!").find(letter) != std::string_view::npos) {
            order = letter == '!' ? '>' : letter;
            continue;
        }
        const bool is_type = std::isalpha(static_cast<unsigned char>(letter)) != 0;
        if (is_type && (order == '<' || order == '>') && order != native_order) result += order;
        const bool is_native = order == '@' || order == '^';
        switch (letter) {
        case 'l': result += is_native ? 'q' : 'i'; break;
        case 'L': result += is_native ? 'Q' : 'I'; break;
        case 'n': result += 'q'; break;
        case 'N': result += 'Q'; break;
        default: result += letter;
        }
    }
    return result;
}

/// The format that NumPy exports for two contiguous records of an array; empty unless the memory is a NumPy array. If all
/// strides happen to fit aligned records, as in columns and arrays of one record, NumPy exports packed records as aligned
/// records; NumPy itself cannot read that format.
std::string format_of_records(const Py_buffer& buffer) {
    nb::object array = nb::borrow(buffer.obj);
    if (PyMemoryView_Check(array.ptr())) array = nb::getattr(array, "obj", nb::none());
    const nb::object numpy = nb::module_::import_("numpy");
    if (!nb::isinstance(array, numpy.attr("ndarray"))) return {};
    const nb::object two = numpy.attr("empty")(2, array.attr("dtype"));
    const nb::object view = nb::steal(PyMemoryView_FromObject(two.ptr()));
    return nb::cast<std::string>(view.attr("format"));
}

} // namespace

PythonBuffer::PythonBuffer(nb::handle object) {
    auto buffer = std::make_unique<Py_buffer>();
    if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_RECORDS) != 0) {
        PyErr_Clear();
        if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_RECORDS_RO) != 0)
            throw nb::python_error();
    }
    m_buffer = std::shared_ptr<Py_buffer>(buffer.release(), ReleaseBuffer());
    const int ndim = m_buffer->ndim;
    if (ndim >= 0 && ndim <= PyBUF_MAX_NDIM && (ndim == 0 || m_buffer->shape) &&
        m_buffer->itemsize >= 0 && section().is_addressable())
        return;
    PyErr_Format(PyExc_BufferError,
                 "a buffer of %d axes and items of %zd bytes that cannot be in memory", ndim,
                 m_buffer->itemsize);
    throw nb::python_error();
}

std::string PythonBuffer::format() const {
    if (!m_buffer->format) return "B";
    const std::string_view given = m_buffer->format;
    const std::string records =
        given.starts_with("T{") ? format_of_records(*m_buffer) : std::string();
    return records.empty() ? std::string(given) : records;
}

AnySection PythonBuffer::section() const {
    const Py_buffer& buffer = *m_buffer;
    AnySection section;
    section.data = buffer.buf;
    section.element = parse_format(format(), buffer.itemsize)
                          .value_or(ElementType{ElementKind::opaque, buffer.itemsize});
    for (int d = 0; d < buffer.ndim; ++d) section.extents.push_back(buffer.shape[d]);
    if (buffer.strides)
        section.strides.assign(buffer.strides, buffer.strides + buffer.ndim);
    else
        section.strides = AnySection::contiguous_strides(section.extents, buffer.itemsize);
    section.read_only = buffer.readonly != 0;
    section.owner = m_buffer;
    return section;
}

std::shared_ptr<const void> keep_alive(nb::handle object) {
    Py_INCREF(object.ptr());
    return {object.ptr(), ReleaseObject()};
}

std::shared_ptr<const void> keep_both(std::shared_ptr<const void> first,
                                      std::shared_ptr<const void> second) {
    return {new Both{std::move(first), std::move(second)}, ReleaseBoth()};
}

std::array<PyObject*, 2> sole_objects(const std::shared_ptr<const void>& owner) noexcept {
    if (owner && std::get_deleter<ReleaseBoth>(owner) && owner.use_count() == 1) {
        const auto& [first, second] = *static_cast<const Both*>(owner.get());
        return {sole_object(first), sole_object(second)};
    }
    return {sole_object(owner), nullptr};
}

std::optional<ElementType> parse_format(std::string_view format, std::int64_t bytes) {
    if (!format.empty() && std::string_view("@=<>!").find(format[0]) != std::string_view::npos) {
        const char order = format[0] == '!' ? '>' : format[0];
        if ((order == '<' || order == '>') && order != native_order && bytes > 1) return {};
        format.remove_prefix(1);
    }
    const auto of_kind = [&](ElementKind kind) { return ElementType{kind, bytes}; };
    if (format == "Zf" || format == "Zd" || format == "Ze") return of_kind(ElementKind::complex);
    if (format.size() != 1) return {};
    switch (format[0]) {
    case '?': return of_kind(ElementKind::boolean);
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return of_kind(ElementKind::signed_integer);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return of_kind(ElementKind::unsigned_integer);
    case 'e':
    case 'f':
    case 'd': return of_kind(ElementKind::floating_point);
    default: return {};
    }
}

std::string format_of(const ElementType& type) {
    const auto of_size = [&](const char* one, const char* two, const char* four,
                             const char* eight) -> std::string {
        switch (type.bytes) {
        case 1: return one;
        case 2: return two;
        case 4: return four;
        case 8: return eight;
        default: return {};
        }
    };
    std::string format;
    switch (type.kind) {
    case ElementKind::boolean: format = of_size("?", "", "", ""); break;
    case ElementKind::signed_integer: format = of_size("b", "h", "i", "l"); break;
    case ElementKind::unsigned_integer: format = of_size("B", "H", "I", "L"); break;
    case ElementKind::floating_point: format = of_size("", "e", "f", "d"); break;
    case ElementKind::complex:
        format = std::string(type.bytes == 8 ? "Zf" : type.bytes == 16 ? "Zd" : "");
        break;
    case ElementKind::bfloat:
    case ElementKind::opaque: break;
    }
    return format.empty() ? text(type.bytes, 'x') : format;
}

std::string element_text(const ElementType& type, std::string_view format) {
    if (type.kind != ElementKind::opaque) return typestr_of(type);
    return text(typestr_of(type), " ('", plain_format(format), "')");
}

std::string short_repr(nb::handle object) {
    constexpr std::size_t most = 77;
    // Cut long strings and bytes first: their repr would be as long as they are.
    nb::object begin = nb::borrow(object);
    const bool is_text = PyUnicode_CheckExact(object.ptr()) || PyBytes_CheckExact(object.ptr());
    const bool is_cut = is_text && nb::len(object) > most;
    if (is_cut) {
        begin = nb::steal(PySequence_GetSlice(object.ptr(), 0, most));
        if (!begin) throw nb::python_error();
    }
    PyObject* repr = PyObject_Repr(begin.ptr());
    if (!repr) {
        PyErr_Clear();
        return text("<", name_of_type(object), " without a repr>");
    }
    const nb::object held = nb::steal(repr);
    const char* characters = PyUnicode_AsUTF8AndSize(repr, nullptr);
    if (!characters) {
        PyErr_Clear();
        return text("<", name_of_type(object), ">");
    }
    const std::string result = shortened(characters, most);
    return is_cut && result == characters ? result + "..." : result;
}

std::string name_of_type(nb::handle object) {
    constexpr std::size_t most = 60;
    const nb::handle type = object.type();
    std::string name = "object";
    const nb::object written = nb::getattr(type, "__name__", nb::none());
    if (nb::isinstance<nb::str>(written)) name = nb::cast<std::string>(written);
    const nb::object module = nb::getattr(type, "__module__", nb::none());
    if (!nb::isinstance<nb::str>(module)) return shortened(name, most);
    const auto module_name = nb::cast<std::string>(module);
    return shortened(module_name == "builtins" ? name : module_name + '.' + name, most);
}

} // namespace distview::python
