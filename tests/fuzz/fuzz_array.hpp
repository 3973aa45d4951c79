// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz_input.hpp"

namespace distview::fuzz {

/// The sections of all processes of an array, some numbers of them changed: check_all, and from
/// what it accepts a layout that says the same.
void fuzz_array(Input& input);

} // namespace distview::fuzz
