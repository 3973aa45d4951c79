// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "h5.hpp"

#include <distview/io/file_options.hpp>

#include <string>

namespace distview::impl {

void write_attribute(const H5Calls& calls, hid_t object, const std::string& name,
                     const AttributeValue& value);
/// Writes a text as VTK expects it: of a fixed length, in ASCII.
void write_fixed_text(const H5Calls& calls, hid_t object, const std::string& name,
                      const std::string& value);
/// Reads the attributes whose kinds AttributeValue has.
Attributes read_attributes(const H5Calls& calls, hid_t object);

} // namespace distview::impl
