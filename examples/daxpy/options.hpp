// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace daxpy {

/// Options of the command line, with defaults filled in.
struct Options {
    std::int64_t rows = 32;
    std::int64_t columns = 8192;
    std::int64_t block = 512; ///< columns in a block; blocks have one row
    double alpha = 2;
    std::string grid; ///< "PxQ"; empty: choose
    int trials = 11;
    std::int64_t triad_mib =
        0; ///< size of each of the triad's arrays, all ranks together; 0: as STREAM requires
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

} // namespace daxpy
