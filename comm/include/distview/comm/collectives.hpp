// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/pieces.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace distview {

// The collective calls that algorithms and programs need, on the library's own communicator, for
// memory that the host can access. All ranks pass the same root, operation and numbers of values.

/// Returns when all ranks have called it. What they wrote to memory before is seen after it by ranks of the node that
/// read it in place, as GatherPlan::read() does; kernels must have been fenced.
///
/// Collective: over comm
/// Cost:       one agreement
void barrier(const Communicator& comm);

enum class ReduceOperation { sum, min, max };

/// A type that all_reduce() combines.
template <class T>
concept ReducibleNumber = std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
                          std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
                          std::same_as<T, float> || std::same_as<T, double>;

/// Replaces every value by its sum, minimum or maximum over all ranks.
///
/// The result has the same bits on every rank. Floating-point numbers are combined in the order of the
/// ranks, whatever MPI's own reduction would do: results depend on the number of ranks and on nothing
/// else. The minimum and maximum of numbers and NaNs are NaN.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allreduce; of floating-point numbers one MPI_Allgather, which brings size()
///             times the values to every rank: meant for a few
/// Errors:     UsageError for more values than MPI counts, and if ranks differ in operation, type or number
///             of values (thrown on all ranks)
template <ReducibleNumber T>
void all_reduce(const Communicator& comm, ReduceOperation operation, std::span<T> values);

template <ReducibleNumber T>
T all_reduce(const Communicator& comm, ReduceOperation operation, T value) {
    all_reduce(comm, operation, std::span<T>(&value, 1));
    return value;
}

namespace impl {
/// Without an agreement: for ranks that have just met.
void all_gather(const Communicator& comm, const void* mine, void* all, std::size_t bytes);
void meet_to_gather(const Communicator& comm, std::size_t bytes);
} // namespace impl

/// The values of all ranks in the order of the ranks, on every rank.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allgather
/// Errors:     UsageError if values are not of the same size on all ranks (thrown on all ranks)
template <class T>
    requires(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
             !std::same_as<T, bool>)
std::vector<T> all_gather(const Communicator& comm, const T& value) {
    const CollectiveCall call(comm, "all_gather");
    std::vector<T> values(static_cast<std::size_t>(comm.size()));
    impl::meet_to_gather(comm, sizeof(T));
    impl::all_gather(comm, &value, values.data(), sizeof(T));
    return values;
}

/// Copies `bytes` of root to all ranks.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Bcast a GiB
/// Errors:     UsageError if there is no rank `root`, and if ranks differ in root or number of bytes (thrown
///             on all ranks)
void broadcast(const Communicator& comm, int root, std::span<std::byte> bytes);

/// Brings the bytes of every rank to `all` on root, one rank's behind the other's. sizes[r] is the number of bytes
/// of rank r, known to all; `all` is used on root only.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Gatherv straight into `all`; beyond 2 GiB three agreements, and one that root
///             stages for every 64 MiB of size() times the most bytes of a rank
/// Errors:     UsageError if there is no rank `root`, if `sizes` on some rank are not what all ranks have, or if `all` has
///             another size on root; Error if root is out of memory (thrown on all ranks)
void gather_bytes(const Communicator& comm, int root, std::span<const std::byte> mine,
                  std::span<const std::int64_t> sizes, std::span<std::byte> all);

} // namespace distview
