// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview {

/// A file to which arrays are appended step after step; with a grid a film that ParaView plays.
///
/// Each array is one dataset with a first axis of steps, in pieces of one step (up to 1 GiB), with checksums like those of
/// save_hdf5(). The dataset "time" has the times. A step counts from when append() has returned; a program that ends
/// meanwhile leaves the steps before.
///
///     Hdf5Series film(comm, "film.vtkhdf", {{"h", h}}, {}, {.grid = UniformGrid{.spacing = {dy, dx}}});
///     film.append(time, {{"h", h}});
///
/// Collective: construction and append(); names, attributes and options are those of rank 0
/// Shapes:     as save_hdf5(); arrays of append() have the names, types and shapes of construction, and any layouts
/// Errors:     those of save_hdf5(); ShapeError and UsageError for other arrays (thrown on all ranks)
class Hdf5Series {
public:
    Hdf5Series(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const Attributes& attributes = {},
               const Hdf5Options& options = {});

    void append(double time, const std::vector<NamedArray>& arrays);
    /// How many there are.
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

/// Fills arrays from one step of a file of Hdf5Series, or of any whose datasets have a first axis more.
///
/// Collective: over comm; options are those of rank 0
/// Indices:    steps from 0
/// Errors:     those of load_hdf5(); UsageError if there is no such step (thrown on all ranks)
void load_hdf5_step(const Communicator& comm, const std::string& path, std::int64_t step,
                    const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
