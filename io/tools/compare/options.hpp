// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elements.hpp"

#include <string>
#include <vector>

namespace compare {

/// The options of the command line.
struct Options {
    std::string a;
    std::string b;
    Tolerance tolerance;
    std::vector<std::string> fields; ///< empty: all
    bool no_attributes = false;
    bool by_step = false;
    bool quiet = false;
};

/// The result of parsing the command line.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was requested
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError that names the wrong option
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace compare
