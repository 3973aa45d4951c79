// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "from_root.hpp"
#include "npy_header.hpp"
#include "transfer.hpp"

#include <distview/io/npy.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace distview::impl {

/// The axes of an array in the order of a file, the last one fastest.
std::vector<int> axis_order(int rank, bool fortran_order);

void put_place(Packed& packed, const NpyPlace& place);
NpyPlace get_place(Packed& packed);

/// Returns rank 0's options on all ranks. Collective.
NpyOptions options_of_root(const Communicator& comm, NpyOptions options);

/// Collective.
void read_npy_array(const Communicator& comm, const std::string& caller, const RawFile& file,
                    const NpyPlace& place, const AnyDistView& array, const FileOptions& options,
                    const std::function<void(std::int64_t)>& progress);

} // namespace distview::impl
