// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview {

namespace {

/// The place of this rank in the order. Throws UsageError unless each of `size` ranks is in it once.
int place_in(std::span<const int> ranks, int size, int rank) {
    std::vector<int> places(static_cast<std::size_t>(size), -1);
    require<UsageError>(ranks.size() == places.size(), [&] {
        return text("order_ranks: expected ", size, " ranks, got ", ranks.size());
    });
    for (int p = 0; p < size; ++p) {
        const int named = ranks[static_cast<std::size_t>(p)];
        require<UsageError>(named >= 0 && named < size, [&] {
            return text("order_ranks: expected ranks in [0, ", size, "), got ", named, " in place ",
                        p);
        });
        int& place = places[static_cast<std::size_t>(named)];
        require<UsageError>(place < 0, [&] {
            return text("order_ranks: expected each rank once, got ", named, " in places ", place,
                        " and ", p);
        });
        place = p;
    }
    return places[static_cast<std::size_t>(rank)];
}

std::uint64_t digest_of(std::span<const int> ranks) {
    Hash digest;
    for (const int rank : ranks) digest.add(rank);
    return digest.value();
}

} // namespace

std::vector<int> nodes_of_ranks(const Communicator& comm) {
    const CollectiveCall call(comm, "nodes_of_ranks");
    return all_gather(comm, impl::state_of(comm)->ranks().node);
}

MPI_Comm order_ranks(const Communicator& comm, std::span<const int> ranks) {
    const CollectiveCall call(comm, "order_ranks");
    const int place = agree_on(
        comm, "order_ranks", [&] { return place_in(ranks, comm.size(), comm.rank()); },
        digest_of(ranks), [&] { return std::vector<Argument>{{"order", tuple_text(ranks)}}; });
    MPI_Comm ordered = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm.mpi(), 0, place, &ordered), "MPI_Comm_split");
    // Errors of the program's own calls on this communicator are handled by MPI, not by the library.
    check_mpi(MPI_Comm_set_errhandler(ordered, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler");
    return ordered;
}

} // namespace distview
