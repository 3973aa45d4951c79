// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace distview::impl {

// For the components above comm, which include it through collectives.hpp.

/// How gather_pieces() and scatter_pieces() cut the data; the same on all ranks.
struct PieceOptions {
    std::int64_t element_bytes = 1;                      ///< pieces are whole elements of this
    std::int64_t staging_bytes = std::int64_t{64} << 20; ///< buffer for the pieces of all ranks
};

/// Sends the bytes of every rank to root, in pieces that MPI can count.
///
/// Root needs no memory for all bytes: each round brings one piece of each rank. sizes[r] is the
/// number of bytes of rank r, passed on all ranks. On root, receive(r, offset, piece) is called for
/// every piece, r and offset ascending in every round; `piece` is valid until the call returns.
/// `receive` must not communicate; its exception is thrown on all ranks, after the last round.
///
/// Collective: over comm
/// Cost:       two agreements, one MPI_Gatherv a round with staging_bytes / size() of each rank; memory on root:
///             staging_bytes at most, or one element a rank
/// Errors:     UsageError if `root` is no rank, if `sizes` differ between ranks or from a rank's bytes, or if one
///             element a rank is more than MPI counts; Error if root is out of memory (thrown on all ranks)
void gather_pieces(
    const Communicator& comm, int root, std::span<const std::byte> mine,
    std::span<const std::int64_t> sizes, const PieceOptions& options,
    const std::function<void(int, std::int64_t, std::span<const std::byte>)>& receive);

/// Reverse of gather_pieces(): on root, provide(r, offset, piece) writes the bytes of rank r from `offset` on.
///
/// Collective: over comm
/// Cost:       two agreements, one MPI_Scatterv a round; memory as in gather_pieces()
/// Errors:     as gather_pieces()
void scatter_pieces(const Communicator& comm, int root, std::span<const std::int64_t> sizes,
                    const PieceOptions& options,
                    const std::function<void(int, std::int64_t, std::span<std::byte>)>& provide,
                    std::span<std::byte> mine);

} // namespace distview::impl
