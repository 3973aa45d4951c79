// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace program {

/// Checks the value of an option --space: host or cuda.
///
/// Errors: distview::UsageError if it is neither, or if it is cuda and this program was built without CUDA
void require_space(const std::string& value);

} // namespace program
