// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "statistics.hpp"

#include <distview/core/process_grid.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shallow_water {

/// Statistics of h, u and v after a step.
struct StepReport {
    std::int64_t step = 0;
    std::array<Statistics, 3> fields;
};

struct BenchmarkReport {
    double seconds = 0; ///< of 500 steps, slowest rank
    double mcell_steps_per_s = 0;
    double triad_gbs = 0;
    /// 64 bytes (float64: 128) per cell and step over the time, as a share of the triad.
    double triad_share = 0;
    std::int64_t triad_array_bytes = 0;
};

/// Files that a run has read and written besides its report; a step is -1 if there was no such file.
struct FileReport {
    std::int64_t restart_step = -1;
    std::int64_t checkpoints = 0;
    std::int64_t checkpoint_step = -1; ///< of the last one
    std::int64_t frames = 0;           ///< of the film
};

/// All results of a run; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1;              ///< of each rank
    double messages_per_step = 0; ///< of rank 0; none to neighbours that read its arrays in place
    double seconds = 0;           ///< of all steps, reports and exchanges included
    std::vector<StepReport> steps;
    FileReport files;
    std::optional<BenchmarkReport> benchmark;
};

/// Throws distview::Error unless the state of a run's last step is finite: otherwise the model was unstable.
void require_finite(const StepReport& last);

std::string to_json(const Report& report);
/// Invariants, norms with the reference, and speed, for people.
std::string to_table(const Report& report);

} // namespace shallow_water
