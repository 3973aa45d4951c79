// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>

namespace distview::python {

/// An axis number that the array does not have: distview.AxisError, which is an IndexError as well.
class AxisError : public UsageError {
public:
    using UsageError::UsageError;
};

/// A file cannot be written or read, or is damaged: distview.FileError, which is an OSError as well.
class FileError : public Error {
public:
    using Error::Error;
};

/// Registers the translation of the library's exceptions to those of distview._errors.
void register_errors();

/// An exception caught on one rank, before the ranks agree on it.
struct Failure {
    /// The exception's C++ image, null without an exception. Exceptions of distview._errors keep class and
    /// fields; other Python exceptions become Error or UsageError, whose text begins with their class.
    std::exception_ptr image{};
    /// The Python exception itself, with its traceback; null if it was not a Python exception.
    nanobind::object cause{};
};

/// The exception being handled: call it from a catch block. Never throws.
Failure current_failure() noexcept;

/// distview::agree() without the GIL. On ranks that failed in Python, the exception has that failure as its cause; a
/// KeyboardInterrupt is raised itself. Texts of foreign exceptions begin with `caller`. `arguments` is called
/// without the GIL.
void agree(const Communicator& comm, const char* caller, const Failure& failure,
           std::uint64_t digest = 0, const Arguments& arguments = {});

} // namespace distview::python
