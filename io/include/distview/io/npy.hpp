// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io/file_options.hpp>

#include <string>
#include <vector>

namespace distview {

/// Options of save_npy() and save_npz().
///
/// Collective: no (local)
struct NpyOptions {
    /// Whether the first axis is the fastest in the file (NumPy: Fortran order).
    bool fortran_order = false;
    // See FileOptions.
    std::int64_t buffer_bytes = FileOptions().buffer_bytes;
    bool sync = false;
    FileProgress progress{};

    operator FileOptions() const { return {buffer_bytes, sync, progress}; }
};

/// Writes an array as a .npy file, as numpy.save() does; every rank writes its part.
///
/// Writes interior cells only, no padding and no ghosts. Along unstructured axes elements are ordered by their labels;
/// if several processes hold a label, the element of the lowest process is written. The file appears under its name
/// when it is complete.
///
///     save_npy(comm, "u.npy", u);                        // u: a DistView of any layout
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     the array has as many processes as comm has ranks, process p on rank p
/// Space:      memory that the host can access, or memory of a CUDA device; kernels that write it must have been fenced
/// Cost:       blocks of rows are written directly; other layouts move each element once, in rounds
/// Errors:     Error with the system's reason if the file cannot be written: an existing file of that name is kept, and
///             no other file is left; UsageError if the array does not have comm.size() processes, or if element types
///             or layouts differ between ranks (thrown on all ranks)
void save_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const NpyOptions& options = {});

/// Returns the description of the array in a .npy file.
///
/// Collective: over comm
/// Errors:     Error if the file cannot be read or is no .npy file (thrown on all ranks)
StoredField inspect_npy(const Communicator& comm, const std::string& path);

/// Fills an array from a .npy file of any program, in either axis order and either byte order.
///
/// Padding and ghosts are not filled: exchange them afterwards.
///
/// Collective: over comm; options are those of rank 0
/// Shapes:     the file's shape is the array's, without padding
/// Errors:     those of inspect_npy(); ShapeError if shape or element type differ; UsageError as in save_npy()
///             (thrown on all ranks). After an error each element has its old value or the file's
void load_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const FileOptions& options = {});

/// Writes arrays as a .npz archive, as numpy.savez() does: uncompressed, of any size. Names are in UTF-8.
///
/// Collective: over comm; options are those of rank 0
/// Errors:     those of save_npy(); UsageError if a name is empty, appears twice or differs between ranks (thrown on
///             all ranks)
void save_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const NpyOptions& options = {});

/// Returns the descriptions of the arrays in a .npz archive: numbers only, no texts or tables.
///
/// Collective: over comm
/// Errors:     Error if the archive cannot be read, is no .npz archive, or is compressed (thrown on all ranks)
std::vector<StoredField> inspect_npz(const Communicator& comm, const std::string& path);

/// Fills arrays from a .npz archive, each from the member with its name. The members' own checksums are not compared.
///
/// Collective: over comm; options are those of rank 0
/// Errors:     those of inspect_npz() and load_npy(); Error if a member does not hold numbers; UsageError if a name is
///             not in the archive or differs between ranks (thrown on all ranks)
void load_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const FileOptions& options = {});

} // namespace distview
