// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/protocol/exported_section.hpp>

#include <string>

namespace distview::python {

/// The result of `__distarray__()` in C++, and the element format, for which C++ has no place.
struct ReadExport {
    protocol::ExportedSection exported{};
    /// struct format of an element.
    std::string format{};
};

/// Reads an export and checks it by itself: rules E1 to E7, K, B7, U1, U2, then check_local().
///
/// `object` is a producer, whose `__distarray__()` is called, or the result of such a call. Keeps
/// producer and buffer alive through exported.section.owner. Never copies the buffer.
///
/// Errors: ProtocolError; whatever the producer raises
ReadExport read_export(nb::handle object, int process);

} // namespace distview::python
