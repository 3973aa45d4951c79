// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <string>

namespace distview::python {

/// Throws a ProtocolError with a text like core's: "DAP import, process 3: ..."
template <class... Parts>
[[noreturn]] void refuse(const char* code, int process, int axis, const std::string& key,
                         const Parts&... parts) {
    const std::string at =
        process < 0 ? text("DAP import: ") : text("DAP import, process ", process, ": ");
    throw ProtocolError(text(at, parts...), code, axis, key, process);
}

} // namespace distview::python
