// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks.hpp"
#include "stored_array.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/io/file_options.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// How an array goes to or comes from a file, whatever its layout.
struct Transfer {
    std::string caller;
    std::string what; ///< in errors: "field 'h'"
    /// Axis d of the file is axis permutation[d] of the array.
    std::vector<int> permutation;
    /// Most bytes of one buffer of a rank; there are at most four.
    std::int64_t buffer_bytes = std::int64_t{16} << 20;
    Blocks blocks;
    /// Called on rank 0 with bytes of the array done.
    std::function<void(std::int64_t)> progress;
};

/// The options that rank 0 was given. Collective.
FileOptions options_of_root(const Communicator& comm, FileOptions options);

/// Transfer::progress of one of several arrays, which are moved one after the other.
std::function<void(std::int64_t)>
progress_of(const FileOptions& options, const std::vector<NamedArray>& arrays, std::size_t number);

/// Throws UsageError unless the array has as many processes as the communicator ranks.
void check_processes(const std::string& caller, const Communicator& comm, const AnyDistView& array);

/// Names of arrays that count: those of rank 0, or the same ones on all ranks.
enum class Names { of_root, of_all };
/// A file that arrays go to or come from.
struct FilePlace {
    const std::string& path;
    std::int64_t step = -1; ///< -1: of no step, or of the next one
};
/// The file, and number, element types and layouts of arrays: where they differ between ranks, bytes would go to wrong
/// places.
std::uint64_t digest_of(const FilePlace& place, const std::vector<NamedArray>& arrays, Names names);
std::vector<Argument> arguments_of(const FilePlace& place, const std::vector<NamedArray>& arrays,
                                   Names names);

/// agree_on() the outcome of `action`, which looks at the arrays, on the file and on number, element types and layouts of
/// the arrays.
template <std::invocable Action>
auto agree_on_arrays(const Communicator& comm, const std::string& caller, const FilePlace& place,
                     const std::vector<NamedArray>& arrays, Action&& action,
                     Names names = Names::of_root) {
    return agree_on(comm, caller.c_str(), std::forward<Action>(action),
                    digest_of(place, arrays, names),
                    [&] { return arguments_of(place, arrays, names); });
}

/// Throws Error if a file that rank 0 has had open since it looked at it has lost its name to another one: what ranks have
/// opened meanwhile may be either. Not compared between nodes, which may number files each in its own way. Collective.
void check_not_replaced(const Communicator& comm, const std::string& caller,
                        const RawFile& of_root);

/// Extents of the array by axis of the file.
std::vector<std::int64_t> file_extents(const AnyDistView& array,
                                       const std::vector<int>& permutation);

/// Writes the interior cells of all ranks. On return blocks are found or open.
///
/// Where rows (indices of the file's first axis) are dealt out in blocks and in order, each rank writes what it has.
/// Else elements are first moved to rows: in rounds, one box of whole rows after the other, a RedistributionPlan gives
/// each rank a run of the file's bytes.
///
/// Collective: over comm
/// Errors:     those of the file on any rank (thrown on all ranks)
void write_array(const Communicator& comm, const AnyDistView& array, const RawFile& file,
                 const StoredArray& stored, Transfer& transfer);

/// The reverse. All processes that hold an index get its element; padding and ghosts are not touched.
void read_array(const Communicator& comm, const AnyDistView& array, const ByteSource& source,
                const StoredArray& stored, const Transfer& transfer, const std::string& where);

} // namespace distview::impl
