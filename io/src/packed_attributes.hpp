// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "from_root.hpp"

#include <distview/io/file_options.hpp>

namespace distview::impl {

void put_attributes(Packed& packed, const Attributes& attributes);
Attributes get_attributes(Packed& packed);

} // namespace distview::impl
