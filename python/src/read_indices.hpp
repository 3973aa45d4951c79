// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/protocol/version.hpp>

#include <cstdint>
#include <vector>

namespace distview::python {

/// A Python integer: anything with __index__ but bool (rule K4).
struct ReadInteger {
    enum { fits, no_integer, too_large } what = fits;
    std::int64_t value = 0;
};
ReadInteger read_integer(nb::handle object);

/// Rules U1, U2: a one-dimensional buffer of integers; in 0.9 also a list or tuple of them.
///
/// Errors: ProtocolError "indices_not_buffer", "indices_not_int", "indices_ndim", "overflow"
std::vector<std::int64_t> read_indices(nb::handle object, const protocol::Version& version,
                                       int axis, int process);

} // namespace distview::python
