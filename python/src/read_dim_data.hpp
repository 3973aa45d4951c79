// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include <string>

namespace distview::python {

/// A str as UTF-8; characters without a UTF-8 encoding (lone surrogates) are replaced.
std::string text_of(nb::handle string);

/// Reads a dimension dictionary: rules K3, K1/K2, then the types of its values (K4, K5, B7, U1,
/// U2). Keys of other dist_types are read only if they could change the meaning of the data.
///
/// Errors: ProtocolError "bad_dist_type", "missing_key", "bad_type", "overflow", "padding_form",
///         "key_not_applicable", "indices_not_buffer", "indices_not_int", "indices_ndim"
protocol::DimData read_dim_data(const nb::dict& dictionary, const protocol::Version& version,
                                int axis, int process);

} // namespace distview::python
