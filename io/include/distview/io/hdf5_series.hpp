// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview {

/// A file to which arrays are appended step by step; with a grid, a film that ParaView plays.
///
/// Each array is one dataset whose first axis counts the steps, stored in chunks of one step (up to 1 GiB), with
/// checksums as in save_hdf5(). The dataset "time" holds the times. A step is in the file when append() has returned;
/// if the program ends during append(), the earlier steps stay.
///
///     Hdf5Series film(comm, "film.vtkhdf", {{"h", h}}, {}, {.grid = UniformGrid{.spacing = {dy, dx}}});
///     film.append(time, {{"h", h}});
///
/// Collective: construction and append(); names, attributes and options are those of rank 0
/// Shapes:     as in save_hdf5(); append() needs arrays with the constructor's names, types and shapes, in any layouts
/// Errors:     those of save_hdf5(); ShapeError and UsageError for other arrays (thrown on all ranks)
class Hdf5Series {
public:
    Hdf5Series(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const Attributes& attributes = {},
               const Hdf5Options& options = {});

    void append(double time, const std::vector<NamedArray>& arrays);
    /// Number of steps in the file.
    std::int64_t steps() const noexcept { return m_steps; }
    const std::string& path() const noexcept { return m_path; }

private:
    void check(const std::vector<NamedArray>& arrays) const;

    Communicator m_comm;
    std::string m_path;
    Hdf5Options m_options;
    std::vector<StoredField> m_fields;
    std::int64_t m_steps = 0;
};

/// Fills arrays from one step of a file of Hdf5Series, or of any file whose datasets have one additional first axis.
///
/// Collective: over comm; options are those of rank 0
/// Indices:    steps from 0
/// Errors:     those of load_hdf5(); UsageError if there is no such step (thrown on all ranks)
void load_hdf5_step(const Communicator& comm, const std::string& path, std::int64_t step,
                    const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
