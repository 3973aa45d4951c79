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

/// How an array is moved to or from a file, whatever its layout.
struct Transfer {
    std::string caller;
    std::string what; ///< in errors: "field 'h'"
    /// Axis d of the file is axis permutation[d] of the array.
    std::vector<int> permutation;
    /// Maximum bytes of one buffer of a rank; a rank has at most four.
    std::int64_t buffer_bytes = std::int64_t{16} << 20;
    Blocks blocks;
    /// Called on rank 0 with the number of the array's bytes that are done.
    std::function<void(std::int64_t)> progress;
};

/// Returns rank 0's options on all ranks. Collective.
FileOptions options_of_root(const Communicator& comm, FileOptions options);

/// Transfer::progress for one of several arrays that are moved one after the other.
std::function<void(std::int64_t)>
progress_of(const FileOptions& options, const std::vector<NamedArray>& arrays, std::size_t number);

/// Throws UsageError unless the array has as many processes as the communicator has ranks.
void check_processes(const std::string& caller, const Communicator& comm, const AnyDistView& array);

/// Selects the array names that count: rank 0's, or names that must be equal on all ranks.
enum class Names { of_root, of_all };
/// A file to which or from which arrays are moved.
struct FilePlace {
    const std::string& path;
    std::int64_t step = -1; ///< -1: no step, or the next one
};
/// Identifies the file, and number, element types and layouts of the arrays: if these differed between ranks, bytes
/// would go to wrong places.
std::uint64_t digest_of(const FilePlace& place, const std::vector<NamedArray>& arrays, Names names);
std::vector<Argument> arguments_of(const FilePlace& place, const std::vector<NamedArray>& arrays,
                                   Names names);

/// Runs `action`, which checks the arrays, and agrees on its outcome, on the file, and on number, element types and
/// layouts of the arrays, and that all ranks pass the same arrays.
template <std::invocable Action>
auto agree_on_arrays(const Communicator& comm, const std::string& caller, const FilePlace& place,
                     const std::vector<NamedArray>& arrays, Action&& action,
                     Names names = Names::of_root) {
    std::vector<std::uint64_t> identities;
    const auto checks = [&] {
        for (const NamedArray& each : arrays) identities.push_back(each.array.identity());
        return action();
    };
    return agree_on(
        comm, caller.c_str(), checks, digest_of(place, arrays, names),
        [&] { return arguments_of(place, arrays, names); }, identities);
}

/// Throws Error if another file has replaced the file that rank 0 has kept open since it inspected it: other ranks may
/// have opened either file. Nodes may number files differently, so ranks do not compare file numbers. Collective.
void check_not_replaced(const Communicator& comm, const std::string& caller,
                        const RawFile& of_root);

/// Extents of the array, by axis of the file.
std::vector<std::int64_t> file_extents(const AnyDistView& array,
                                       const std::vector<int>& permutation);

/// Writes the interior cells of all ranks. On return, blocks that begin in this rank's part are found or open (Blocks).
///
/// If rows (indices of the file's first axis) are distributed in blocks and in rank order, each rank writes its own
/// rows. Otherwise elements are first moved into rows, in rounds: a RedistributionPlan moves one box of whole rows
/// after the other, and gives each rank a run of the file's bytes.
///
/// Collective: over comm
/// Errors:     errors of the file on any rank (thrown on all ranks)
void write_array(const Communicator& comm, const AnyDistView& array, const RawFile& file,
                 const StoredArray& stored, Transfer& transfer);

/// The reverse: reads an array. All processes that hold an index get its element; padding and ghosts are not changed.
void read_array(const Communicator& comm, const AnyDistView& array, const ByteSource& source,
                const StoredArray& stored, const Transfer& transfer, const std::string& where);

} // namespace distview::impl
