// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/c/layout.h>

#include <distview/core/array_layout.hpp>

namespace distview::c {

/// Converts the program's axis over `processes` processes to an AxisSpec.
AxisSpec axis_of_program(const distview_axis& axis, int processes, const char* function);

} // namespace distview::c
