// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/field.hpp>

namespace distview::impl {

/// Whether two sections have bytes in common. Those of slices of one array may lie between each other's;
/// where it is not known whether they do, the answer is that they overlap.
bool overlap(const Field& a, const Field& b);

} // namespace distview::impl
