// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "checkpoint_files.hpp"
#include "problem.hpp"

#include <string>

namespace poisson {

enum class Precondition { none, jacobi, amg };
/// Whose iteration: the library's own, or that of a solver stack.
enum class Solver { cg, petsc, hypre, belos };

/// What the command line asks for, with defaults filled in.
struct Options {
    Shape shape;
    std::string grid; ///< "PxQ" or "PxQxR"; empty: choose
    Solver solver = Solver::cg;
    bool assembled = false; ///< with a matrix, or by the stencil
    Precondition precondition = Precondition::jacobi;
    double tolerance = 1e-10;
    int max_iterations = 10000;
    bool reproducible = false;
    std::string space = "host"; ///< where arrays lie and are worked on: host or cuda
    program::CheckpointFiles checkpoints;
    std::string json_path;
};

const char* to_string(Sides sides);
const char* to_string(Coefficient coefficient);
const char* to_string(Precondition precondition);
const char* to_string(Solver solver);

/// What parsing the command line led to.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was asked for
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError saying which option is wrong and what was expected
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace poisson
