// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz_input.hpp"

namespace distview::fuzz {

/// Imports one DLPack tensor of either kind with from_dlpack, exports the result and imports it again.
void fuzz_tensor(Input& input);

} // namespace distview::fuzz
