// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace distview::python {

/// An argument that is a Python integer: any object with __index__. nanobind's own conversion would accept strings,
/// and truncate non-integral numbers that are not Python floats.
template <class T>
struct Integer {
    T value{};
    operator T() const noexcept { return value; }
};

} // namespace distview::python

namespace nanobind::detail {

template <class T>
struct type_caster<distview::python::Integer<T>> {
    NB_TYPE_CASTER(distview::python::Integer<T>, const_name("int"))

    bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
        const object index = steal(PyNumber_Index(given.ptr()));
        if (!index.is_valid()) {
            PyErr_Clear();
            return false;
        }
        make_caster<T> number;
        if (!number.from_python(index, 0, nullptr)) return false;
        value.value = number.value;
        return true;
    }
};

} // namespace nanobind::detail
