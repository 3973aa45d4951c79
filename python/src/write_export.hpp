// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/protocol/dim_data.hpp>

#include <cstdint>
#include <vector>

namespace distview::python {

/// A NumPy array of int64 that owns the numbers.
nb::object int64_array(std::vector<std::int64_t> values);

/// The protocol's dictionaries: plain int, bool and str, padding a tuple, indices an int64 array.
nb::tuple dim_data_tuple(const std::vector<protocol::DimData>& dim_data);

} // namespace distview::python
