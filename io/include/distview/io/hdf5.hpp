// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/file_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview {

/// Positions of an array's elements in space. ParaView and VTK can open a file that has them.
///
/// Numbers are in the order of the array's axes: for ParaView's x, y, z, the number of x is the last one.
struct UniformGrid {
    std::vector<double> spacing{};
    /// Position of the first cell's lower corner, or of the first point; empty: all 0.
    std::vector<double> origin{};
    /// Whether elements are values at points, and not of the cells between the points.
    bool on_points = false;

    friend bool operator==(const UniformGrid&, const UniformGrid&) = default;
};

/// Options of save_hdf5().
///
///     save_hdf5(comm, "h.vtkhdf", {{"h", h}}, {}, {.grid = UniformGrid{.spacing = {dy, dx}}, .axis_names = {"y", "x"}});
///
/// Collective: no (local)
struct Hdf5Options {
    /// With a grid, arrays whose number of axes (one to three) is the number of spacings become arrays of a VTKHDF
    /// ImageData, if they have the shape of the first of them.
    std::optional<UniformGrid> grid{};
    /// Names of the axes, by axis: "y", "x"; empty: axis_0 and so on.
    std::vector<std::string> axis_names{};
    /// Number of bytes of an array that one checksum covers; 0: no checksums.
    std::int64_t checksum_bytes = std::int64_t{4} << 20;
    /// Compression from 1 (fast) to 9 (small): datasets are stored in compressed chunks (shuffle, deflate), which all
    /// readers of HDF5 support; 0: elements are stored as in memory. Rank 0 compresses, so large files take long. In
    /// the meantime the folder needs space for one uncompressed array, for a step of a film for two.
    int compression = 0;
    // See FileOptions.
    std::int64_t buffer_bytes = FileOptions().buffer_bytes;
    bool sync = false;
    FileProgress progress{};

    operator FileOptions() const { return {buffer_bytes, sync, progress}; }
};

/// The contents of an HDF5 file.
struct Hdf5Contents {
    std::vector<StoredField> fields{};
    Attributes attributes{};     ///< attributes of the file's root
    std::vector<double> times{}; ///< times of the steps of an Hdf5Series
};

/// Whether this build supports HDF5. Otherwise all functions below throw UsageError, which says what is missing.
///
/// Collective: no (local)
bool has_hdf5() noexcept;

/// Writes arrays and attributes to a new HDF5 file, which can be read in any layout on any number of ranks.
///
/// Each array becomes a dataset with its name ("a/b" is b in the group a) that holds its interior cells in C order,
/// contiguous unless it is compressed; see save_npy() for unstructured axes. Every 4 MiB have a checksum, with which a
/// reader detects damage. h5py, netCDF4 and xarray can read the file: axes have names. With a grid, ParaView and VTK
/// can open the same file: let its name end in .vtkhdf. The file appears under its name when it is complete.
///
///     save_hdf5(comm, "state.h5", {{"h", h}, {"u", u}}, {{"time", 3600.0}, {"step", std::int64_t{150}}});
///
/// Rank 0 creates the file with the HDF5 library. Then all ranks write their part of each array's bytes themselves; if
/// rank 0 has to compress the bytes, the ranks write them into a file without a name.
///
/// Collective: over comm; names, attributes and options are those of rank 0
/// Shapes:     arrays have as many processes as comm has ranks, process p on rank p
/// Space:      as in save_npy()
/// Cost:       blocks of rows are written directly; other layouts move each element once, in rounds. If a rank's part
///             ends within the bytes of a checksum, these bytes are read again
/// Errors:     Error with the system's or HDF5's reason if the file cannot be written: an existing file of that name is
///             kept, and no other file is left; UsageError if an array does not have comm.size() processes, if number,
///             element types or layouts of arrays differ between ranks, if a name is empty, appears twice or is used
///             for other contents of the file, or if a text contains NUL (thrown on all ranks)
/// Source:     decision 0034
void save_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const Attributes& attributes = {},
               const Hdf5Options& options = {});

/// Returns the contents of a file, whichever program wrote it: numbers only, no tables or texts.
///
/// Collective: over comm
/// Errors:     Error if the file cannot be read or is no HDF5 file (thrown on all ranks)
Hdf5Contents inspect_hdf5(const Communicator& comm, const std::string& path);

/// Fills arrays from the datasets with their names.
///
/// Datasets of other programs may be chunked, compressed or of the other byte order. Checksums are compared if the file
/// has any. Padding and ghosts are not filled: exchange them afterwards.
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     a dataset's shape is the array's, without padding
/// Errors:     those of inspect_hdf5(); an Error that names the field and its bytes if they are damaged; ShapeError if
///             shape or element type differ; UsageError if the file does not have a name, or if names or arrays differ
///             between ranks (thrown on all ranks). After an error each element has its old value or the file's
void load_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
