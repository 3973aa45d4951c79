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

/// The options that rank 0 was given. The grid and the names of axes are for rank 0 only, which makes the file. Collective.
Hdf5Options options_of_root(const Communicator& comm, Hdf5Options options);
/// Throws UsageError unless a file can be made of these. Local.
void check_arrays(const std::string& caller, const Communicator& comm,
                  const std::vector<NamedArray>& arrays, const Hdf5Options& options);
std::vector<NewField> new_fields(const std::vector<NamedArray>& arrays, const Hdf5Options& options);

/// save_hdf5() for the caller named, which may keep files that were there; see NewFile::commit(). Collective.
void save_fields(const Communicator& comm, const std::string& caller, const std::string& path,
                 const std::vector<NamedArray>& arrays, const Attributes& attributes,
                 const Hdf5Options& options, int keep);

/// Writes arrays[number] where field.stored says, or into its compressed dataset, there as step `step` if that is not
/// negative; returns its checksums on rank 0. Collective.
std::vector<std::uint64_t> write_field(const Communicator& comm, const std::string& caller,
                                       const std::vector<NamedArray>& arrays, std::size_t number,
                                       const RawFile& file, const NewField& field,
                                       std::int64_t step, const Hdf5Options& options);

/// Fills arrays from datasets of their names; `step` >= 0: from that index along the datasets' first axes. `of_root` is the
/// file on rank 0 if something of it was read before. Collective.
void load_fields(const Communicator& comm, const H5Calls& calls,
                 const std::vector<NamedArray>& arrays, std::int64_t step,
                 const FileOptions& options, RawFile of_root = {});

} // namespace distview::impl
