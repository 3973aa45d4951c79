// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace distview::impl {

// For the components above, which get it by collectives.hpp.

/// How gather_pieces() and scatter_pieces() cut what they move; the same on all ranks.
struct PieceOptions {
    std::int64_t element_bytes = 1;                      ///< pieces are whole elements of this
    std::int64_t staging_bytes = std::int64_t{64} << 20; ///< room for the pieces of all ranks
};

/// Brings the bytes of every rank to root, in pieces that MPI can count.
///
/// Root needs no room for everything: it sees a piece of each rank, then the next ones. sizes[r] is
/// the number of bytes of rank r, known to all. On root, receive(r, offset, piece) is called for
/// every piece, r and offset ascending in every round; the piece is gone when the call returns.
/// `receive` must not communicate; what it throws is thrown on all ranks, after the last round.
///
/// Collective: over comm
/// Cost:       two agreements, one MPI_Gatherv a round, of staging_bytes / size() of each rank; on root staging_bytes of
///             memory at most, or one element a rank
/// Errors:     UsageError if there is no rank `root`, if `sizes` on some rank are not what all ranks have, or if one
///             element a rank is more than MPI counts; Error if root is out of memory (thrown on all ranks)
void gather_pieces(
    const Communicator& comm, int root, std::span<const std::byte> mine,
    std::span<const std::int64_t> sizes, const PieceOptions& options,
    const std::function<void(int, std::int64_t, std::span<const std::byte>)>& receive);

/// The reverse: on root, provide(r, offset, piece) writes what rank r gets from `offset` on.
///
/// Collective: over comm
/// Cost:       two agreements, one MPI_Scatterv a round; memory as in gather_pieces()
/// Errors:     as gather_pieces()
void scatter_pieces(const Communicator& comm, int root, std::span<const std::int64_t> sizes,
                    const PieceOptions& options,
                    const std::function<void(int, std::int64_t, std::span<std::byte>)>& provide,
                    std::span<std::byte> mine);

} // namespace distview::impl
