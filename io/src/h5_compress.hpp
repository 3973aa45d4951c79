// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "h5_build.hpp"
#include "raw_file.hpp"

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <string>

namespace distview::impl {

/// Creates a file beside `path` that all ranks have open but that has no name any more, so that the system removes it
/// even if the ranks are killed. Collective.
RawFile make_scratch_file(const Communicator& comm, const std::string& caller,
                          const std::string& path);

/// Compresses a field's bytes, which lie in file order at the beginning of `scratch`, into the field's dataset. For
/// rank 0. `step` >= 0: into that index along the dataset's first axis, which must exist.
void write_compressed(const H5Calls& calls, const NewField& field, std::int64_t step,
                      const RawFile& scratch);

} // namespace distview::impl
