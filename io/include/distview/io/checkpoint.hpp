// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview {

/// How a Checkpoint writes: files are on the disk when save() returns, unless `sync` is set to false.
///
///     Checkpoint(comm, "run.h5", {.keep = 3});
///
/// Collective: no (local)
struct CheckpointOptions {
    /// How many checkpoints there are at most: the last one, "run.h5", and the ones before it, "run.h5.1", "run.h5.2".
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

/// What Checkpoint::load() has found.
struct LoadedCheckpoint {
    Attributes scalars{};
    std::string path{};   ///< which file was read
    std::string damage{}; ///< why no later one was, of all of these; empty if it is the last one
};

/// The state of a program in a file: named arrays and numbers, from which it goes on in any layout on any number of ranks.
///
/// A checkpoint replaces the one before it only when it is whole and on the disk, so that there is always one to go on
/// from, whenever a writer is killed; what a killed writer leaves is removed by the next one. Files are those of
/// save_hdf5(), with checksums.
///
///     Checkpoint checkpoint(comm, "run.h5");
///     checkpoint.save({{"h", h}, {"u", u}}, {{"step", step}, {"time", time}});
///     ...
///     const LoadedCheckpoint last = checkpoint.load({{"h", h}, {"u", u}});
///     step = std::get<std::int64_t>(last.scalars.at("step"));
///
/// Collective: save(), load(), with the options of rank 0; construction is local
/// Errors:     UsageError if a build has no HDF5 (on all ranks)
class Checkpoint {
public:
    /// Errors: UsageError if `keep` is less than 1
    Checkpoint(const Communicator& comm, std::string path, CheckpointOptions options = {});

    const std::string& path() const noexcept { return m_path; }
    /// The file that is `age` checkpoints older than the last one.
    std::string path_of(int age) const;

    /// Writes a checkpoint, behind which the last one is kept, unless load() has found that damaged in this process.
    ///
    /// Errors: those of save_hdf5(); the checkpoints that there are stay as they are
    void save(const std::vector<NamedArray>& fields, const Attributes& scalars = {}) const;
    /// Fills fields from the last checkpoint. If that is damaged, cut short or not there: from the one before it if
    /// `falls_back`, which is that of rank 0, else the error names that one.
    ///
    /// Errors: those of load_hdf5(), of the last checkpoint if no other one is whole. What the system refuses,
    ///         permission or one more open file, is an error at once: older checkpoints are for damage
    LoadedCheckpoint load(const std::vector<NamedArray>& fields, bool falls_back = false) const;

private:
    Attributes load_from(const std::string& path, const std::vector<NamedArray>& fields) const;

    Communicator m_comm;
    std::string m_path;
    CheckpointOptions m_options;
};

} // namespace distview
