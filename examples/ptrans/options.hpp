// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace ptrans {

/// The source of matrices and check.
enum class Variant { hpcc, chapel };

/// Options of the command line, with defaults filled in.
struct Options {
    Variant variant = Variant::hpcc;
    std::int64_t m = 4096; ///< rows of A, columns of C
    std::int64_t n = 4096; ///< columns of A, rows of C
    std::int64_t mb = 128; ///< rows of a block of A
    std::int64_t nb = 128;
    std::string grid; ///< "PxQ"; empty: choose
    double beta = 1;
    std::uint32_t seed_a = 100;
    std::uint32_t seed_c = 200;
    std::uint64_t seed_grid = 1; ///< of the permutations of the ranks
    int trials = 5;
    std::string space = "host"; ///< memory of the matrices and their moves: host or cuda
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

} // namespace ptrans
