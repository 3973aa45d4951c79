// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/file_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview {

/// Where an array's elements are in space: what makes a file one that ParaView and VTK open.
///
/// Numbers by axis of the array, so for ParaView's x, y, z those of x come last.
struct UniformGrid {
    std::vector<double> spacing{};
    /// Of the first cell's lower corner, or of the first point; empty: all 0.
    std::vector<double> origin{};
    /// Whether elements are values of points, not of the cells between these.
    bool on_points = false;

    friend bool operator==(const UniformGrid&, const UniformGrid&) = default;
};

/// How save_hdf5() writes.
///
///     save_hdf5(comm, "h.vtkhdf", {{"h", h}}, {}, {.grid = UniformGrid{.spacing = {dy, dx}}, .axis_names = {"y", "x"}});
///
/// Collective: no (local)
struct Hdf5Options {
    /// Arrays of one to three axes that are as many as its spacings become arrays of a VTKHDF ImageData, if their shape
    /// is that of the first of them.
    std::optional<UniformGrid> grid{};
    /// What axes are called, by axis: "y", "x"; empty: axis_0 and so on.
    std::vector<std::string> axis_names{};
    /// How many bytes of an array one checksum is for; 0: no checksums.
    std::int64_t checksum_bytes = std::int64_t{4} << 20;
    /// 1 (fast) to 9 (small): datasets lie in compressed pieces (shuffle, deflate), which all readers of HDF5 know; 0: as
    /// they are in memory. Rank 0 compresses, so that large files take long. Meanwhile the folder needs room for one
    /// array that is not compressed, for a film's step for two.
    int compression = 0;
    // See FileOptions.
    std::int64_t buffer_bytes = FileOptions().buffer_bytes;
    bool sync = false;
    FileProgress progress{};

    operator FileOptions() const { return {buffer_bytes, sync, progress}; }
};

/// What is in a file of HDF5.
struct Hdf5Contents {
    std::vector<StoredField> fields{};
    Attributes attributes{};     ///< of the file's root
    std::vector<double> times{}; ///< of the steps of an Hdf5Series
};

/// Whether this build knows HDF5. All functions below throw UsageError, which says what is missing, where it does not.
///
/// Collective: no (local)
bool has_hdf5() noexcept;

/// Writes arrays and attributes to a new HDF5 file, which reads back in any layout on any number of ranks.
///
/// One dataset an array, contiguous unless it is compressed, named like it ("a/b" is b in the group a), of its interior cells in C order; see
/// save_npy() for unstructured axes. Every 4 MiB have a checksum, by which a reader finds damage. What h5py, netCDF4 and
/// xarray read: axes have names. With a grid ParaView and VTK open the same file: let its name end in .vtkhdf.
/// The file appears under its name when it is whole.
///
///     save_hdf5(comm, "state.h5", {{"h", h}, {"u", u}}, {{"time", 3600.0}, {"step", std::int64_t{150}}});
///
/// Rank 0 makes the file with the library; all ranks then write their part of each array's bytes themselves, into a file
/// without a name if rank 0 has to compress them.
///
/// Collective: over comm; names, attributes and options are those of rank 0
/// Shapes:     as many processes as ranks, process p on rank p
/// Space:      as save_npy()
/// Cost:       blocks of rows are written as they are; else each element moves once, in rounds. Ends within a checksum's
///             bytes are read again
/// Errors:     Error with the system's or HDF5's reason if it cannot be written: what there was under that name is left,
///             and nothing else; UsageError if an array has not comm.size() processes, if number, element types or
///             layouts of arrays differ between ranks, for names that are empty, come twice or are taken by what the file
///             has besides, and for texts with NUL (thrown on all ranks)
/// Source:     decision 0034
void save_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const Attributes& attributes = {},
               const Hdf5Options& options = {});

/// What a file has, whoever wrote it: numbers only, no tables of texts.
///
/// Collective: over comm
/// Errors:     Error if it cannot be read or is no file of HDF5 (thrown on all ranks)
Hdf5Contents inspect_hdf5(const Communicator& comm, const std::string& path);

/// Fills arrays from the datasets of their names.
///
/// Datasets of other programs too: in pieces, compressed or of the other byte order. Checksums are compared if the file
/// has any. Padding and ghosts are left to an exchange.
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     a dataset's shape is the array's, without padding
/// Errors:     those of inspect_hdf5(); Error that names the field and its bytes if they are damaged; ShapeError if shape
///             or element type differ; UsageError if a name is not there, or names or arrays differ between ranks (thrown
///             on all ranks). Elements are then as they were or as the file has them
void load_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
