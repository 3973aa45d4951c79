// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <distview/comm/impl/memory/process_name.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

namespace distview::impl {

namespace {

/// Location of a rank's line; sent as bytes.
struct Offer {
    SegmentAddress segment{};
    std::int64_t rank = 0;
};

CallLine* line_in(const SharedSegment& segment) {
    return reinterpret_cast<CallLine*>(segment.data() + SharedSegment::header_bytes);
}

/// Lines of all ranks of the node. If a rank cannot map all of them, for example because
/// containers share a node, the ranks are split by the first line that each can map, and so on.
CallLines map_lines(MPI_Comm node, int rank) {
    int ranks = 0;
    check_mpi(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
    if (ranks == 1) return own_call_line(rank);
    std::string why_not;
    std::shared_ptr<SharedSegment> mine = SharedSegment::make(sizeof(CallLine), why_not);
    if (mine) {
        CallLine* const line = new (line_in(*mine)) CallLine;
        const ProcessName self = ProcessName::self();
        line->process.store(self.number, std::memory_order_relaxed);
        line->started.store(self.started,
                            std::memory_order_relaxed); // others see it after the gather
    }
    const Offer offer{mine ? mine->address() : SegmentAddress{}, rank};
    std::vector<Offer> offers(static_cast<std::size_t>(ranks));
    check_mpi(MPI_Allgather(&offer, sizeof(Offer), MPI_BYTE, offers.data(), sizeof(Offer), MPI_BYTE,
                            node),
              "MPI_Allgather");
    CallLines lines;
    auto segments = std::make_shared<std::vector<std::shared_ptr<SharedSegment>>>();
    int all_are_seen = 1;
    int first_seen = rank; // alone, if it maps no line at all
    for (const Offer& other : offers) {
        const std::shared_ptr<SharedSegment> segment =
            other.rank == rank ? mine : SharedSegment::open(other.segment, Access::write);
        if (!segment) {
            all_are_seen = 0;
            continue;
        }
        const auto seen = static_cast<int>(other.rank);
        if (segments->empty()) first_seen = seen;
        segments->push_back(segment);
        lines.ranks.push_back({seen, line_in(*segment)});
    }
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all_are_seen, 1, MPI_INT, MPI_MIN, node),
              "MPI_Allreduce");
    if (all_are_seen) {
        lines.memory = segments;
        return lines;
    }
    MPI_Comm group = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(node, first_seen, 0, &group), "MPI_Comm_split");
    int members = 0;
    check_mpi(MPI_Comm_size(group, &members), "MPI_Comm_size");
    CallLines of_group = members < ranks ? map_lines(group, rank) : own_call_line(rank);
    check_mpi(MPI_Comm_free(&group), "MPI_Comm_free");
    return of_group;
}

} // namespace

CallLines own_call_line(int rank) {
    const auto line = std::make_shared<CallLine>();
    return {{{rank, line.get()}}, line, {rank}};
}

CallLines share_call_lines(MPI_Comm comm, MPI_Comm node, int rank) {
    int size = 0;
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    if (size == 1) return own_call_line(rank);
    CallLines lines = map_lines(node, rank);
    const int speaker = lines.ranks.front().rank;
    lines.speakers.resize(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&speaker, 1, MPI_INT, lines.speakers.data(), 1, MPI_INT, comm),
              "MPI_Allgather");
    std::sort(lines.speakers.begin(), lines.speakers.end());
    lines.speakers.erase(std::unique(lines.speakers.begin(), lines.speakers.end()),
                         lines.speakers.end());
    return lines;
}

} // namespace distview::impl
