// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz_input.hpp"

namespace distview::fuzz {

/// Checks the sections of all processes of an array, some numbers changed, with check_all; makes a
/// layout of accepted sections and checks that its export is equal.
void fuzz_array(Input& input);

} // namespace distview::fuzz
