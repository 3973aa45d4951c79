// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace distview::testing::impl {

/// Does nothing; a call makes the linker take the sanitizers' default options into the program.
void link_sanitizer_defaults();

} // namespace distview::testing::impl
