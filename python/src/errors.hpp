// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>

namespace distview::python {

/// A number of an axis that is none: distview.AxisError, which is an IndexError as well.
class AxisError : public UsageError {
public:
    using UsageError::UsageError;
};

/// A file cannot be written or read, or is damaged: distview.FileError, which is an OSError as well.
class FileError : public Error {
public:
    using Error::Error;
};

/// From then on exceptions of the library become those of distview._errors.
void register_errors();

/// What one rank has caught before the ranks agree on it.
struct Failure {
    /// Its C++ image, null if all is well. Of Python's exceptions those of distview._errors keep
    /// class and fields; others come as Error or UsageError, whose text begins with their class.
    std::exception_ptr image{};
    /// The Python exception itself, with its traceback; null if it was none.
    nanobind::object cause{};
};

/// Call from a catch block; never throws.
Failure current_failure() noexcept;

/// distview::agree() without the GIL, and on ranks that failed in Python that failure as the exception's
/// cause; a KeyboardInterrupt is raised itself. Texts of exceptions that are none of the library's begin with
/// `caller`. `arguments` are called without the GIL.
void agree(const Communicator& comm, const char* caller, const Failure& failure,
           std::uint64_t digest = 0, const Arguments& arguments = {});

} // namespace distview::python
