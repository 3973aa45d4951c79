// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview {

/// How a Checkpoint writes: files are on the disk when save() returns, unless `sync` is false.
///
///     Checkpoint(comm, "run.h5", {.keep = 3});
///
/// Collective: no (local)
struct CheckpointOptions {
    /// Maximum number of checkpoints: the last one, "run.h5", and the ones before it, "run.h5.1", "run.h5.2".
    int keep = 2;
    // See Hdf5Options and FileOptions.
    std::optional<UniformGrid> grid{};
    std::vector<std::string> axis_names{};
    std::int64_t checksum_bytes = Hdf5Options().checksum_bytes;
    int compression = 0;
    std::int64_t buffer_bytes = FileOptions().buffer_bytes;
    bool sync = true;
    FileProgress progress{};

    operator Hdf5Options() const {
        return {grid, axis_names, checksum_bytes, compression, buffer_bytes, sync, progress};
    }
};

/// The result of Checkpoint::load().
struct LoadedCheckpoint {
    Attributes scalars{};
    std::string path{};   ///< the file that was read
    std::string damage{}; ///< why later checkpoints were not read; empty if the last one was read
};

/// Stores a program's state in a file, as named arrays and numbers, to restart in any layout on any number of ranks.
///
/// A new checkpoint replaces the last one only when it is complete and on the disk, so that a complete checkpoint
/// exists whenever a writer is killed. The next writer removes incomplete files of a killed writer. Files have the
/// format of save_hdf5(), with checksums.
///
///     Checkpoint checkpoint(comm, "run.h5");
///     checkpoint.save({{"h", h}, {"u", u}}, {{"step", step}, {"time", time}});
///     ...
///     const LoadedCheckpoint last = checkpoint.load({{"h", h}, {"u", u}});
///     step = std::get<std::int64_t>(last.scalars.at("step"));
///
/// Collective: save() and load(), with the options of rank 0; construction is local
/// Errors:     UsageError if the build has no HDF5 (on all ranks)
class Checkpoint {
public:
    /// Errors: UsageError if `keep` is less than 1
    Checkpoint(const Communicator& comm, std::string path, CheckpointOptions options = {});

    const std::string& path() const noexcept { return m_path; }
    /// Path of the checkpoint that is `age` checkpoints older than the last one.
    std::string path_of(int age) const;

    /// Writes a checkpoint and keeps the last one as the one before it, unless load() in this process found it damaged.
    ///
    /// Errors: those of save_hdf5(); existing checkpoints stay as they are
    void save(const std::vector<NamedArray>& fields, const Attributes& scalars = {}) const;
    /// Fills fields from the last checkpoint. If that is damaged, cut short or missing, and `falls_back` is true on
    /// rank 0, fills them from the latest complete checkpoint before it; if `falls_back` is false, the error names the
    /// one before it.
    ///
    /// Errors: those of load_hdf5(); an Error that describes the damage of all checkpoints tried, if none is complete.
    ///         If the system refuses access (permission, number of open files), the error is thrown at once: older
    ///         checkpoints are for damage
    LoadedCheckpoint load(const std::vector<NamedArray>& fields, bool falls_back = false) const;

private:
    Attributes load_from(const std::string& path, const std::vector<NamedArray>& fields) const;

    Communicator m_comm;
    std::string m_path;
    CheckpointOptions m_options;
};

} // namespace distview
