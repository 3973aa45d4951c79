// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <nanobind/nanobind.h>

#include <exception>

namespace distview::python {

/// From then on exceptions of the library become those of distview._errors.
void register_errors();

/// The C++ image of an exception: of Python's, those of distview._errors keep class and fields.
/// Call from a catch block.
std::exception_ptr current_failure();

} // namespace distview::python
