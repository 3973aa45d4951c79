// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/transport/field.hpp>

namespace distview::impl {

/// Whether two sections have bytes in common; see memory_overlaps().
bool overlap(const Field& a, const Field& b);

} // namespace distview::impl
