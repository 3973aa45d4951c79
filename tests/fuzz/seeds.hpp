// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace distview::fuzz {

/// Initial inputs: conforming sections of every kind, and arrays.
std::vector<std::vector<std::uint8_t>> seed_inputs();

} // namespace distview::fuzz
