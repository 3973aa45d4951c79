// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace distview::testing::impl {

/// Does nothing; a call makes the linker include the sanitizers' default options in the program.
void link_sanitizer_defaults();

} // namespace distview::testing::impl
