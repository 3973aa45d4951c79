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

// Collective calls for algorithms and programs, on the library's own communicator, for memory that
// the host can access. All ranks pass the same root, operation and numbers of values.

/// Returns when all ranks have called it. Writes to memory before the barrier are visible after it to ranks of the node
/// that read this memory in place, as GatherPlan::read() does; kernels must have been fenced.
///
/// Collective: over comm
/// Cost:       one agreement
void barrier(const Communicator& comm);

enum class ReduceOperation { sum, min, max };

/// A type of number that all_reduce() combines.
template <class T>
concept ReducibleNumber = std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
                          std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
                          std::same_as<T, float> || std::same_as<T, double>;

/// Replaces every value by its sum, minimum or maximum over all ranks.
///
/// The result has the same bits on every rank. The library combines floating-point numbers in the order
/// of the ranks, without MPI's own reduction: besides the values, only the number of ranks affects the
/// result. If one of the values is NaN, their minimum and maximum are NaN.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allreduce; for floating-point numbers instead one MPI_Allgather, which brings
///             size() times the values to every rank: meant for few values
/// Errors:     UsageError if the number of values exceeds the range of MPI's counts, or if ranks differ in operation,
///             type or number of values (thrown on all ranks)
template <ReducibleNumber T>
void all_reduce(const Communicator& comm, ReduceOperation operation, std::span<T> values);

template <ReducibleNumber T>
T all_reduce(const Communicator& comm, ReduceOperation operation, T value) {
    all_reduce(comm, operation, std::span<T>(&value, 1));
    return value;
}

namespace impl {
/// Gathers without an agreement: the ranks have just met in meet_to_gather().
void all_gather(const Communicator& comm, const void* mine, void* all, std::size_t bytes);
void meet_to_gather(const Communicator& comm, std::size_t bytes);
} // namespace impl

/// Returns the values of all ranks, in the order of the ranks, on every rank.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allgather
/// Errors:     UsageError if the size of the value differs between ranks (thrown on all ranks)
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
/// Cost:       one agreement, one MPI_Bcast per GiB
/// Errors:     UsageError if `root` is not a rank, or if ranks differ in root or number of bytes (thrown
///             on all ranks)
void broadcast(const Communicator& comm, int root, std::span<std::byte> bytes);

/// Gathers the bytes of every rank in `all` on root, in the order of the ranks. sizes[r] is the number of bytes
/// of rank r; every rank passes all sizes. `all` is used on root only.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Gatherv straight into `all`; beyond 2 GiB three agreements, and one staged
///             MPI_Gatherv for every 64 MiB of size() times the largest number of bytes of a rank
/// Errors:     UsageError if `root` is not a rank, if `sizes` differ on some rank from the ranks' numbers of bytes, or
///             if `all` has another size on root; Error if root is out of memory (thrown on all ranks)
void gather_bytes(const Communicator& comm, int root, std::span<const std::byte> mine,
                  std::span<const std::int64_t> sizes, std::span<std::byte> all);

} // namespace distview
