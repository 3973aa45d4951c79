// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace hpl {

/// The implementation of the product of matrices in the update.
enum class Update { kokkos, blas };

/// Options of the command line, with defaults filled in.
struct Options {
    std::int64_t n = 2000; ///< equations
    std::int64_t nb = 64;  ///< rows and columns of a block
    std::string grid;      ///< "PxQ"; empty: choose, with P <= Q
    std::uint64_t seed = 100;
    Update update = Update::kokkos;
    std::string json_path;
};

/// The result of parsing the command line.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was requested
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError that names the wrong option and the expected value
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace hpl
