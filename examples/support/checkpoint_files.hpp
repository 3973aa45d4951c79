// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/io.hpp>

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace program {

/// The checkpoints that a run writes and the checkpoint from which it continues.
struct CheckpointFiles {
    std::string path;       ///< empty: none is written
    std::int64_t every = 0; ///< steps; 0: only after the last step
    std::string restart;    ///< empty: from the beginning

    bool is_due(std::int64_t step, bool is_last) const {
        return !path.empty() && (is_last || (every > 0 && step > 0 && step % every == 0));
    }
};

/// Declares --checkpoint, --checkpoint-every and --restart; `steps` is the run's word for its steps: "steps".
void add_checkpoint_options(CLI::App& app, CheckpointFiles& files, const char* steps);

/// Checks these options after parsing. Local.
///
/// Errors: distview::UsageError for options that do not fit together, or without HDF5
void check_checkpoint_options(const CheckpointFiles& files);

/// Whether the final checkpoint would overwrite the checkpoint from which the run has continued.
///
/// Collective: over comm
bool overwrites_restart(const distview::Communicator& comm, const CheckpointFiles& files);

/// Throws distview::UsageError if `path` was given for an option and the program was built without HDF5.
void require_hdf5(const char* option, const std::string& path);

/// The scalars of a checkpoint, if it is from a run like this one: they must contain all of `expected`.
///
/// Collective: over comm
/// Errors:     those of Checkpoint::load(); distview::UsageError that names the first scalar that differs (thrown on
///             all ranks)
distview::Attributes load_scalars(const distview::Communicator& comm, const std::string& path,
                                  const distview::Attributes& expected);

} // namespace program
