// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/file_options.hpp>

#include <string>
#include <vector>

namespace distview {

/// How save_npy() and save_npz() write.
///
/// Collective: no (local)
struct NpyOptions {
    /// Whether the first axis is the fastest in the file, which NumPy calls Fortran order.
    bool fortran_order = false;
    // See FileOptions.
    std::int64_t buffer_bytes = FileOptions().buffer_bytes;
    bool sync = false;
    FileProgress progress{};

    operator FileOptions() const { return {buffer_bytes, sync, progress}; }
};

/// Writes an array as a .npy file, as numpy.save() does; all ranks write their part.
///
/// Interior cells only: no padding, no ghosts. Along unstructured axes elements are in the order of their labels; of a
/// label on several processes the lowest one's is written. The file appears under its name when it is whole.
///
///     save_npy(comm, "u.npy", u);                        // u: a DistView of any layout
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     as many processes as ranks, process p on rank p
/// Space:      memory that the host reaches, or of a CUDA device; kernels that write it must have been fenced
/// Cost:       blocks of rows are written as they are; else each element moves once, in rounds
/// Errors:     Error with the system's reason if the file cannot be written: what there was under that name is left, and
///             nothing else; UsageError if the array has not comm.size() processes, or element type or layout are not the
///             same on all ranks (thrown on all ranks)
void save_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const NpyOptions& options = {});

/// What a .npy file has.
///
/// Collective: over comm
/// Errors:     Error if it cannot be read or is no such file (thrown on all ranks)
StoredField inspect_npy(const Communicator& comm, const std::string& path);

/// Fills an array from a .npy file, whoever wrote it; of either order and either byte order.
///
/// Padding and ghosts are left to an exchange.
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     the file's shape is the array's, without padding
/// Errors:     those of inspect_npy(); ShapeError if shape or element type differ, UsageError as save_npy()
///             (thrown on all ranks). Elements are then as they were or as the file has them
void load_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const FileOptions& options = {});

/// Writes arrays as a .npz archive, as numpy.savez() does: not compressed, of any size. Names are in UTF-8.
///
/// Collective: over comm; options are those of rank 0
/// Errors:     those of save_npy(); UsageError for names that are empty, come twice or differ between ranks (thrown on
///             all ranks)
void save_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const NpyOptions& options = {});

/// The arrays of a .npz archive: numbers only, no texts or tables.
///
/// Collective: over comm
/// Errors:     Error if it cannot be read, is no such archive, or is compressed (thrown on all ranks)
std::vector<StoredField> inspect_npz(const Communicator& comm, const std::string& path);

/// Fills arrays from a .npz archive, each from the member of its name. Members' own checksums are not looked at.
///
/// Collective: over comm; options are those of rank 0
/// Errors:     those of inspect_npz() and load_npy(); Error if a member has no numbers; UsageError if a name is not in it
///             or differs between ranks (thrown on all ranks)
void load_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
