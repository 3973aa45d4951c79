// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_indices.hpp"

#include "refuse.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace distview::python {

namespace {

constexpr const char* key = "indices";

std::string entry(int axis) { return text("dim_data[", axis, "]['indices']"); }

template <class Integer>
std::vector<std::int64_t> copy_of(const Py_buffer& buffer, int axis, int process) {
    const std::int64_t stride = buffer.strides ? buffer.strides[0] : buffer.itemsize;
    auto count = static_cast<std::size_t>(buffer.shape ? buffer.shape[0] : 0);
    // Stride 0 repeats one item: two copies are enough to break rule U3, and need little memory.
    if (stride == 0) count = std::min<std::size_t>(count, 2);
    const char* at = static_cast<const char*>(buffer.buf);
    std::vector<std::int64_t> result(count);
    for (std::int64_t& value : result) {
        Integer integer;
        std::memcpy(&integer, at, sizeof(Integer)); // any stride: it may not be aligned
        if constexpr (sizeof(Integer) == 8 && std::is_unsigned_v<Integer>)
            if (integer > static_cast<Integer>(std::numeric_limits<std::int64_t>::max()))
                refuse("overflow", process, axis, key, entry(axis), " holds ", integer,
                       ", which does not fit 64 bits with a sign");
        value = static_cast<std::int64_t>(integer);
        at += stride;
    }
    return result;
}

std::vector<std::int64_t> read_buffer(const PythonBuffer& given, int axis, int process) {
    const Py_buffer& buffer = *given;
    const std::optional<ElementType> type = parse_format(given.format(), buffer.itemsize);
    const bool is_signed = type && type->kind == ElementKind::signed_integer;
    const bool is_unsigned = type && type->kind == ElementKind::unsigned_integer;
    if (!is_signed && !is_unsigned)
        refuse("indices_not_int", process, axis, key, entry(axis), " has ",
               type ? "dtype " + describe(*type) : "format '" + shortened(given.format()) + '\'',
               buffer.ndim == 1 ? text(", length ", buffer.shape[0]) : "",
               ", expected integers in native byte order");
    if (buffer.ndim != 1)
        refuse("indices_ndim", process, axis, key, entry(axis), " has ", buffer.ndim,
               " dimensions, expected 1");
    switch (buffer.itemsize) {
    case 1:
        return is_signed ? copy_of<std::int8_t>(buffer, axis, process)
                         : copy_of<std::uint8_t>(buffer, axis, process);
    case 2:
        return is_signed ? copy_of<std::int16_t>(buffer, axis, process)
                         : copy_of<std::uint16_t>(buffer, axis, process);
    case 4:
        return is_signed ? copy_of<std::int32_t>(buffer, axis, process)
                         : copy_of<std::uint32_t>(buffer, axis, process);
    case 8:
        return is_signed ? copy_of<std::int64_t>(buffer, axis, process)
                         : copy_of<std::uint64_t>(buffer, axis, process);
    default: break;
    }
    refuse("indices_not_int", process, axis, key, entry(axis), " has integers of ", buffer.itemsize,
           " bytes, expected 1, 2, 4 or 8");
}

std::vector<std::int64_t> read_list(nb::handle list, int axis, int process) {
    std::vector<std::int64_t> result;
    for (const nb::handle item : list) {
        const ReadInteger read = read_integer(item);
        if (read.what == ReadInteger::no_integer)
            refuse("indices_not_int", process, axis, key, entry(axis), " holds ", short_repr(item),
                   " (", name_of_type(item), "), expected integers");
        if (read.what == ReadInteger::too_large)
            refuse("overflow", process, axis, key, entry(axis), " holds ", short_repr(item),
                   ", which does not fit 64 bits");
        result.push_back(read.value);
    }
    return result;
}

/// NumPy's bool is not a Python bool, and up to NumPy 2 it has __index__.
bool is_numpy_bool(nb::handle object) {
    if (PyLong_Check(object.ptr())) return false;
    const std::string name = name_of_type(object);
    return name == "numpy.bool" || name == "numpy.bool_";
}

} // namespace

ReadInteger read_integer(nb::handle object) {
    if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr()) || is_numpy_bool(object))
        return {ReadInteger::no_integer, 0};
    PyObject* index = PyNumber_Index(object.ptr());
    if (!index) {
        PyErr_Clear();
        return {ReadInteger::no_integer, 0};
    }
    const nb::object held = nb::steal(index);
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
    if (overflow != 0) return {ReadInteger::too_large, 0};
    return {ReadInteger::fits, value};
}

std::vector<std::int64_t> read_indices(nb::handle object, const protocol::Version& version,
                                       int axis, int process) {
    const bool is_list = nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object);
    if (version.is_0_9() && is_list) return read_list(object, axis, process);
    std::optional<PythonBuffer> buffer;
    try {
        buffer.emplace(object);
    } catch (nb::python_error&) {
        refuse("indices_not_buffer", process, axis, key, entry(axis), " is of type ",
               name_of_type(object), ", which does not export the buffer protocol",
               is_list ? ": convert it to an array of integers" : "");
    }
    return read_buffer(*buffer, axis, process);
}

} // namespace distview::python
