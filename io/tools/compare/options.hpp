// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elements.hpp"

#include <string>
#include <vector>

namespace compare {

/// What the command line asks for.
struct Options {
    std::string a;
    std::string b;
    Tolerance tolerance;
    std::vector<std::string> fields; ///< empty: all
    bool no_attributes = false;
    bool by_step = false;
    bool quiet = false;
};

/// What parsing the command line led to.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was asked for
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError saying which option is wrong
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace compare
