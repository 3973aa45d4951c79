// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "from_root.hpp"
#include "h5_build.hpp"
#include "h5_open.hpp"
#include "packed_attributes.hpp"
#include "transfer.hpp"

#include <distview/io/hdf5.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// Returns rank 0's options on all ranks, except the grid and the axis names: only rank 0 needs these. Collective.
Hdf5Options options_of_root(const Communicator& comm, Hdf5Options options);
/// Throws UsageError unless a file can be created from these arrays and options. Local.
void check_arrays(const std::string& caller, const Communicator& comm,
                  const std::vector<NamedArray>& arrays, const Hdf5Options& options);
std::vector<NewField> new_fields(const std::vector<NamedArray>& arrays, const Hdf5Options& options);

/// save_hdf5() with `caller` as its name in errors; may keep existing files, see NewFile::commit(). Collective.
void save_fields(const Communicator& comm, const std::string& caller, const std::string& path,
                 const std::vector<NamedArray>& arrays, const Attributes& attributes,
                 const Hdf5Options& options, int keep);

/// Writes arrays[number] to the place field.stored, or into the field's compressed dataset (as step `step`, unless that
/// is negative); returns its checksums on rank 0. Collective.
std::vector<std::uint64_t> write_field(const Communicator& comm, const std::string& caller,
                                       const std::vector<NamedArray>& arrays, std::size_t number,
                                       const RawFile& file, const NewField& field,
                                       std::int64_t step, const Hdf5Options& options);

/// Fills arrays from the datasets with their names; `step` >= 0: from that index along the datasets' first axes.
/// `of_root` is the file on rank 0, if rank 0 has already read from it. Collective.
void load_fields(const Communicator& comm, const H5Calls& calls,
                 const std::vector<NamedArray>& arrays, std::int64_t step,
                 const FileOptions& options, RawFile of_root = {});

} // namespace distview::impl
