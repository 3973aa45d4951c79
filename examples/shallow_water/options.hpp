// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "checkpoint_files.hpp"
#include "parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace shallow_water {

enum class Element { float64, float32 };

/// How the model exchanges padding; the results are the same.
enum class Exchanges {
    literal, ///< one exchange per field wherever the published program makes one
    fused    ///< as few messages as the model allows
};

/// How fused sweeps are divided among teams of threads; the results are the same.
enum class Cut {
    automatic, ///< strips on a host, tiles on a device if they are possible
    strips,
    tiles ///< in mode C, if every block has at least two rows and columns
};

/// Options of the command line, with defaults filled in.
struct Options {
    std::int64_t nx = 360;  ///< interior columns, west to east
    std::int64_t ny = 180;  ///< interior rows, south to north
    std::int64_t steps = 0; ///< including the first step, which is forward Euler
    Element element = Element::float64;
    Mode mode = Mode::corrected;
    Exchanges exchanges = Exchanges::fused;
    Cut cut = Cut::automatic;
    int deep =
        1; ///< steps that one exchange serves; more than 1 in mode C with fused exchanges only
    std::string space = "host"; ///< where arrays lie and kernels run: host or cuda
    int grid_rows = 0;          ///< of processes; 0: choose
    int grid_columns = 0;
    std::vector<std::int64_t> report_steps; ///< ascending, each once
    std::string json_path;
    std::string png_path;
    program::CheckpointFiles checkpoints;
    std::string movie_path;
    std::int64_t movie_every = 100; ///< steps
    bool benchmark = false;
    bool poison = false;
    bool progress = false;
    bool summary = false;
};

/// Steps in which the published program simulates `days`: one step, then blocks of 100 steps until the time
/// is reached.
std::int64_t steps_of_days(const Parameters& parameters, double days);

/// The result of parsing the command line.
struct CommandLine {
    Options options;
    std::string help; ///< not empty if help was requested
};

/// Reads the command line. Local; prints nothing.
///
/// Errors: distview::UsageError that names the wrong option and the expected value
CommandLine parse_command_line(int argc, const char* const* argv);

/// A hash of all options, equal on ranks with the same options.
std::uint64_t digest(const Options& options);

} // namespace shallow_water
