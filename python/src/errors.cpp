// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"

#include "python_objects.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>

namespace distview::python {

namespace nb = nanobind;

namespace {

nb::object error_class(const char* name) {
    return nb::module_::import_("distview._errors").attr(name);
}

/// The text as a str. It may contain file names, which may have any bytes.
nb::object message_of(const std::exception& error) {
    return nb::steal(PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "backslashreplace"));
}

void raise(const char* name, const std::exception& error) {
    const nb::object type = error_class(name);
    PyErr_SetObject(type.ptr(), message_of(error).ptr());
}

void translate(const std::exception_ptr& failure, void*) {
    try {
        std::rethrow_exception(failure);
    } catch (const ProtocolError& e) {
        const nb::object type = error_class("ProtocolError");
        const nb::object none = nb::none();
        const nb::object error =
            type(message_of(e), e.code(), e.axis() < 0 ? none : nb::int_(e.axis()),
                 e.key().empty() ? none : nb::object(nb::str(e.key().c_str(), e.key().size())),
                 e.process() < 0 ? none : nb::int_(e.process()));
        PyErr_SetObject(type.ptr(), error.ptr());
    } catch (const LayoutError& e) {
        raise("LayoutError", e);
    } catch (const ShapeError& e) {
        raise("ShapeError", e);
    } catch (const AxisError& e) {
        raise("AxisError", e);
    } catch (const UsageError& e) {
        raise("UsageError", e);
    } catch (const MpiError& e) {
        raise("MpiError", e);
    } catch (const DeadlineError& e) {
        const nb::object error = error_class("DeadlineError")(message_of(e), e.ranks());
        PyErr_SetObject(error.type().ptr(), error.ptr());
    } catch (const FileError& e) {
        raise("FileError", e);
    } catch (const Error& e) {
        raise("Error", e);
    }
}

/// str(object) as UTF-8; never throws.
std::string text_of(nb::handle object) {
    const nb::object text = nb::steal(PyObject_Str(object.ptr()));
    const nb::object bytes = nb::steal(
        text ? PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace") : nullptr);
    if (!bytes) {
        PyErr_Clear();
        return "<no text>";
    }
    return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

/// An attribute of an exception as a T; `otherwise` if it is not a T.
template <class T>
T field(nb::handle error, const char* name, T otherwise) {
    T value{};
    const nb::object given = nb::getattr(error, name, nb::none());
    return nb::try_cast(given, value) ? value : otherwise;
}

std::exception_ptr image_of(nb::handle error) {
    const std::string message = text_of(error);
    const auto is = [&](const char* name) { return nb::isinstance(error, error_class(name)); };
    if (is("ProtocolError"))
        return std::make_exception_ptr(
            ProtocolError(message, field<std::string>(error, "code", {}), field(error, "axis", -1),
                          field<std::string>(error, "key", {}), field(error, "process", -1)));
    if (is("LayoutError")) return std::make_exception_ptr(LayoutError(message));
    if (is("ShapeError")) return std::make_exception_ptr(ShapeError(message));
    if (is("UsageError")) return std::make_exception_ptr(UsageError(message));
    if (is("MpiError")) return std::make_exception_ptr(MpiError(message, MPI_ERR_OTHER));
    if (is("FileError")) return std::make_exception_ptr(FileError(message));
    if (is("Error")) return std::make_exception_ptr(Error(message));
    // The text names the class, since the class itself cannot be sent. UsageError derives from both of these.
    const std::string named = name_of_type(error) + ": " + message;
    for (PyObject* const type : {PyExc_TypeError, PyExc_ValueError})
        if (nb::isinstance(error, nb::handle(type)))
            return std::make_exception_ptr(UsageError(named));
    return std::make_exception_ptr(Error(named));
}

/// The image. For a foreign exception whose text does not begin with the caller, the caller is added in front.
std::exception_ptr named_after(const char* caller, const Failure& failure) noexcept {
    if (!failure.image || !failure.cause) return failure.image;
    try {
        if (nb::isinstance(failure.cause, error_class("Error")) ||
            text_of(failure.cause).starts_with(text(caller, ": ")))
            return failure.image;
        try {
            std::rethrow_exception(failure.image);
        } catch (const UsageError& e) {
            return std::make_exception_ptr(UsageError(text(caller, ": ", e.what())));
        } catch (const Error& e) {
            return std::make_exception_ptr(Error(text(caller, ": ", e.what())));
        }
    } catch (...) {
        return failure.image; // other ranks wait for it, whatever its text is
    }
}

} // namespace

void register_errors() { nb::register_exception_translator(translate); }

Failure current_failure() noexcept {
    try {
        throw;
    } catch (const nb::python_error& error) {
        Failure result{std::current_exception(), nb::borrow(error.value())};
        try {
            result.image = image_of(result.cause);
        } catch (...) {
            PyErr_Clear();
        }
        return result;
    } catch (...) {
        return {std::current_exception(), {}};
    }
}

void agree(const Communicator& comm, const char* caller, const Failure& failure,
           std::uint64_t digest, const Arguments& arguments) {
    const std::exception_ptr image = named_after(caller, failure);
    try {
        const nb::gil_scoped_release release;
        const CollectiveCall call(comm, caller);
        distview::agree(comm, caller, image, digest, arguments);
    } catch (...) {
        if (!failure.cause) throw;
        // On the rank where Ctrl-C was pressed, KeyboardInterrupt is raised unchanged.
        if (nb::isinstance(failure.cause, nb::handle(PyExc_KeyboardInterrupt))) {
            PyErr_SetObject(failure.cause.type().ptr(), failure.cause.ptr());
            throw nb::python_error();
        }
        translate(std::current_exception(), nullptr);
        nb::python_error raised;
        Py_INCREF(failure.cause.ptr());
        PyException_SetCause(raised.value().ptr(), failure.cause.ptr());
        throw raised;
    }
}

} // namespace distview::python
