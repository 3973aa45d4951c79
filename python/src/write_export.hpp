// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "python_objects.hpp"

#include <distview/core/protocol/dim_data.hpp>

#include <nanobind/typing.h>

#include <cstdint>
#include <vector>

namespace distview::python {

// Types of tuples and dictionaries in the stub.
using IntPair = nb::typed<nb::tuple, int, int>;
using IntTuple = nb::typed<nb::tuple, int, nb::ellipsis>;
using IntPairs = nb::typed<nb::tuple, IntPair, nb::ellipsis>;
using BoolTuple = nb::typed<nb::tuple, bool, nb::ellipsis>;
using Dictionary = nb::typed<nb::dict, nb::str, nb::any>;
using Dictionaries = nb::typed<nb::tuple, Dictionary, nb::ellipsis>;

/// A NumPy array of int64 that owns the numbers.
nb::object int64_array(std::vector<std::int64_t> values);

/// The protocol's dictionaries: plain int, bool and str, padding a tuple, indices an int64 array.
Dictionaries dim_data_tuple(const std::vector<protocol::DimData>& dim_data);

} // namespace distview::python
