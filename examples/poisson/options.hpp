// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "checkpoint_files.hpp"
#include "problem.hpp"

#include <string>

namespace poisson {

enum class Precondition { none, jacobi, amg };
/// The implementation of the iteration: the library's own, or a solver library.
enum class Solver { cg, petsc, hypre, belos };

/// Options of the command line, with defaults filled in.
struct Options {
    Shape shape;
    std::string grid; ///< "PxQ" or "PxQxR"; empty: choose
    Solver solver = Solver::cg;
    bool assembled = false; ///< true: with a matrix; false: by the stencil
    Precondition precondition = Precondition::jacobi;
    double tolerance = 1e-10;
    int max_iterations = 10000;
    bool reproducible = false;
    std::string space = "host"; ///< where arrays lie and kernels run: host or cuda
    program::CheckpointFiles checkpoints;
    std::string json_path;
};

const char* to_string(Sides sides);
const char* to_string(Coefficient coefficient);
const char* to_string(Precondition precondition);
const char* to_string(Solver solver);

/// The result of parsing the command line.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was requested
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError that names the wrong option and the expected value
CommandLine parse_command_line(int argc, const char* const* argv);

} // namespace poisson
