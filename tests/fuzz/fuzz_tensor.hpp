// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz_input.hpp"

namespace distview::fuzz {

/// One DLPack tensor, of either kind: from_dlpack, and what it gives out and in again.
void fuzz_tensor(Input& input);

} // namespace distview::fuzz
