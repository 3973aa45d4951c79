// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace hpl {

/// What multiplies matrices in the update.
enum class Update { kokkos, blas };

/// What the command line asks for, with defaults filled in.
struct Options {
    std::int64_t n = 2000; ///< equations
    std::int64_t nb = 64;  ///< rows and columns of a block
    std::string grid;      ///< "PxQ"; empty: choose, with P <= Q
    std::uint64_t seed = 100;
    Update update = Update::kokkos;
    std::string json_path;
};

/// What parsing the command line led to.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was asked for
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError saying which option is wrong and what was expected
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace hpl
