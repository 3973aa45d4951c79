// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"

#include <distview/core/error.hpp>

#include <nanobind/stl/string.h>

#include <string>

namespace distview::python {

namespace nb = nanobind;

namespace {

nb::object error_class(const char* name) {
    return nb::module_::import_("distview._errors").attr(name);
}

void raise(const char* name, const std::exception& error) {
    const nb::object type = error_class(name);
    PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& failure, void*) {
    try {
        std::rethrow_exception(failure);
    } catch (const ProtocolError& e) {
        const nb::object type = error_class("ProtocolError");
        const nb::object none = nb::none();
        const nb::object error =
            type(e.what(), e.code(), e.axis() < 0 ? none : nb::int_(e.axis()),
                 e.key().empty() ? none : nb::object(nb::str(e.key().c_str(), e.key().size())),
                 e.process() < 0 ? none : nb::int_(e.process()));
        PyErr_SetObject(type.ptr(), error.ptr());
    } catch (const LayoutError& e) {
        raise("LayoutError", e);
    } catch (const ShapeError& e) {
        raise("ShapeError", e);
    } catch (const UsageError& e) {
        raise("UsageError", e);
    } catch (const MpiError& e) {
        raise("MpiError", e);
    } catch (const Error& e) {
        raise("Error", e);
    }
}

/// An attribute of an exception as C++ has it, `otherwise` for None.
template <class T>
T field(const nb::object& error, const char* name, T otherwise) {
    const nb::object value = nb::getattr(error, name, nb::none());
    return value.is_none() ? otherwise : nb::cast<T>(value);
}

/// str(error); an exception whose text cannot be had must not leave the other ranks waiting.
std::string text_of(const nb::object& error) {
    try {
        return nb::cast<std::string>(nb::str(error));
    } catch (...) {
        return "an exception without a text";
    }
}

std::exception_ptr image_of(const nb::python_error& failure) {
    const nb::object error = nb::borrow(failure.value());
    const std::string message = text_of(error);
    const auto is = [&](const char* name) { return nb::isinstance(error, error_class(name)); };
    if (is("ProtocolError"))
        return std::make_exception_ptr(ProtocolError(
            message, field<std::string>(error, "code", {}), field(error, "axis", -1),
            field<std::string>(error, "key", {}), field(error, "process", -1)));
    if (is("LayoutError")) return std::make_exception_ptr(LayoutError(message));
    if (is("ShapeError")) return std::make_exception_ptr(ShapeError(message));
    if (is("UsageError")) return std::make_exception_ptr(UsageError(message));
    if (is("Error")) return std::make_exception_ptr(Error(message));
    // TypeError, ValueError and whatever else: named in the text, since the class cannot travel.
    const std::string type = nb::cast<std::string>(nb::str(nb::handle(failure.type()).attr("__name__")));
    return std::make_exception_ptr(Error(type + ": " + message));
}

} // namespace

void register_errors() { nb::register_exception_translator(translate); }

std::exception_ptr current_failure() {
    try {
        throw;
    } catch (const nb::python_error& error) {
        return image_of(error);
    } catch (...) {
        return std::current_exception();
    }
}

} // namespace distview::python
