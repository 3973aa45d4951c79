// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace program {

/// Throws distview::UsageError unless a file can be written at `path`; leaves no file behind that
/// was not there. Before a long run, not after it.
void require_writable(const char* option, const std::string& path);

/// Writes a whole file; distview::UsageError if that fails.
void write_file(const std::string& path, const std::string& contents);

} // namespace program
