// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "communicators.hpp"
#include "field_fixture.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/transport.hpp>
#include <distview_testing/environment.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

/// DISTVIEW_TRANSPORT as a plan finds it when it is built; none: not set.
using TransportChoice = std::optional<Transport>;

inline std::string name_of(TransportChoice choice) {
    return choice ? std::string(to_string(*choice)) : "unset";
}

/// Sets DISTVIEW_TRANSPORT.
class TransportSetting : public VariableSetting {
public:
    explicit TransportSetting(TransportChoice choice)
        : VariableSetting("DISTVIEW_TRANSPORT",
                          choice ? std::optional(name_of(choice)) : std::nullopt) {}
};

/// Whether arrays of make_dist_view() can be exchanged by this transport alone here. Collective.
inline bool is_possible(const Communicator& comm, TransportChoice choice) {
    const TransportSetting setting(choice);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(comm.size(), {.padding = 1, .periodic = true})});
    const auto array =
        make_dist_view<double*>(Kokkos::DefaultHostExecutionSpace(), comm, layout, "probe");
    try {
        PaddingExchangePlan plan(comm, layout);
        plan.bind(array);
    } catch (const UsageError&) {
        return false;
    }
    return true;
}

/// Those that are, of not setting it and all of them. Collective.
inline std::vector<TransportChoice> possible_transports(const Communicator& comm) {
    std::vector<TransportChoice> result;
    for (const TransportChoice choice :
         {TransportChoice(), TransportChoice(Transport::direct), TransportChoice(Transport::cma),
          TransportChoice(Transport::message), TransportChoice(Transport::ipc),
          TransportChoice(Transport::gpu_message), TransportChoice(Transport::staged)})
        if (is_possible(comm, choice)) result.push_back(choice);
    return result;
}

/// The value of a flag on every rank. Collective.
inline std::vector<char> on_all_ranks(const Communicator& comm, bool flag) {
    const char mine = flag ? 1 : 0;
    std::vector<char> result(static_cast<std::size_t>(comm.size()));
    MPI_Allgather(&mine, 1, MPI_CHAR, result.data(), 1, MPI_CHAR, comm.mpi());
    return result;
}

/// For every rank, the lowest one that shares memory with it. Collective.
inline std::vector<int> hosts_of(const Communicator& comm) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm.mpi(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    const int mine = comm.rank();
    int lowest = 0;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    std::vector<int> result(static_cast<std::size_t>(comm.size()));
    MPI_Allgather(&lowest, 1, MPI_INT, result.data(), 1, MPI_INT, comm.mpi());
    return result;
}

/// From which ranks a plan gets messages: those that it cannot read in place.
inline std::vector<char> senders_of_messages(const Communicator& comm, TransportChoice choice,
                                             bool all_in_arena) {
    std::vector<char> result = on_all_ranks(comm, !all_in_arena);
    for (char& sends : result)
        if (choice == Transport::message || choice == Transport::gpu_message ||
            choice == Transport::staged)
            sends = 1;
        else if (choice)
            sends = 0;
    return result;
}

/// Whether a flag is set on all ranks. Collective.
inline bool on_every_rank(const Communicator& comm, bool flag) {
    const std::vector<char> flags = on_all_ranks(comm, flag);
    return std::count(flags.begin(), flags.end(), char{0}) == 0;
}

struct Traffic {
    std::map<int, MessageCount> sent;
    std::map<int, MessageCount> received;
};

/// Whether a region of a section, if that has no gaps and is in C order, is one run of memory: from the
/// position of its first element to that of its last there are no others.
inline bool is_one_run(const PaddingRegion& region, const Extents& section, int rank) {
    std::int64_t distance = 0;
    for (int d = 0; d < rank; ++d) {
        const auto a = static_cast<std::size_t>(d);
        distance = distance * section[a] + region.extents[a] - 1;
    }
    return distance + 1 == region.elements;
}

/// Whether MPI's datatypes suit a region of such a section: its rows are single elements that are words, or
/// have at least 256 bytes.
inline bool is_for_datatypes(const PaddingRegion& region, const Extents& section, int rank,
                             std::int64_t element_size) {
    std::int64_t row = element_size;
    for (std::size_t d = static_cast<std::size_t>(rank); d-- > 0;) {
        row *= region.extents[d];
        if (region.extents[d] != section[d]) break;
    }
    return row >= 256 || (row == element_size && 8 % element_size == 0);
}

/// Which regions are a message each.
struct LongRegions {
    std::int64_t bytes = 0;       ///< at least
    bool all_in_arena = false;    ///< all elements of all ranks; else none are
    bool all_by_datatype = false; ///< on all ranks; else only those that are one run of memory
    bool all_rows = false;        ///< also those that datatypes do not suit
};

/// Messages and bytes by rank of MPI_COMM_WORLD that one execute should send and receive.
///
/// Every region of every field begins where its elements can.
inline Traffic expected_traffic(const PaddingExchangePlan& plan,
                                const std::vector<std::int64_t>& element_sizes, bool one_geometry,
                                bool reversed, const std::vector<char>& sends_messages,
                                const std::vector<int>& hosts, const LongRegions& longer) {
    Traffic result;
    std::map<std::pair<int, int>, std::int64_t> last; // bytes of the packed message, by from and to
    for (std::size_t i = 0; i < element_sizes.size(); ++i) {
        const PaddingExchangeSchedule& schedule =
            plan.schedule(one_geometry ? 0 : static_cast<int>(i));
        const int rank = schedule.layout().rank();
        std::map<std::pair<int, int>, std::vector<std::int64_t>>
            packed; // bytes of this field's regions
        const auto add = [&](std::map<int, MessageCount>& traffic, const PaddingRegion& region,
                             int sender, int receiver) {
            if (region.peer == schedule.process()) return;
            const bool one_host = hosts[static_cast<std::size_t>(schedule.process())] ==
                                  hosts[static_cast<std::size_t>(region.peer)];
            if (one_host && !sends_messages[static_cast<std::size_t>(sender)]) return;
            const int peer = reversed ? world_size() - 1 - region.peer : region.peer;
            const std::int64_t bytes = region.elements * element_sizes[i];
            const ArrayLayout& l = schedule.layout();
            const auto is_long = [&](int process) {
                const Extents section = l.local_extents(process);
                return is_one_run(region, section, rank) ||
                       (longer.all_by_datatype &&
                        (longer.all_rows ||
                         is_for_datatypes(region, section, rank, element_sizes[i])));
            };
            if (longer.all_in_arena && bytes >= longer.bytes && is_long(sender) &&
                is_long(receiver)) {
                ++traffic[peer].messages;
                traffic[peer].bytes += bytes;
            } else {
                packed[{sender, receiver}].push_back(bytes);
            }
        };
        schedule.for_each_sent([&](const PaddingRegion& region) {
            add(result.sent, region, schedule.process(), region.peer);
        });
        schedule.for_each_received([&](const PaddingRegion& region) {
            add(result.received, region, region.peer, schedule.process());
        });
        // Fields share a message, but short ones not a long one.
        for (const auto& [ends, regions] : packed) {
            const bool is_sent = ends.first == schedule.process();
            const int process = is_sent ? ends.second : ends.first;
            const int peer = reversed ? world_size() - 1 - process : process;
            const std::int64_t bytes =
                std::accumulate(regions.begin(), regions.end(), std::int64_t{0});
            const auto before = last.find(ends);
            const bool joins = before != last.end() && (before->second > 4000 || bytes > 4000 ||
                                                        before->second + bytes <= 4000);
            const std::int64_t begin = joins ? before->second : 0;
            std::int64_t end = begin;
            for (const std::int64_t region : regions) {
                while (end % std::gcd(element_sizes[i], 64) != 0) ++end;
                end += region;
            }
            MessageCount& count = (is_sent ? result.sent : result.received)[peer];
            if (!joins) ++count.messages;
            count.bytes += end - begin;
            last[ends] = end;
        }
    }
    return result;
}

/// The communicators that cases are tried on: the world in its order and in reverse.
struct Worlds {
    OwnedComm reversed = reversed_world();
    Communicator forward_comm{MPI_COMM_WORLD};
    Communicator reversed_comm{reversed.get()};
};

} // namespace distview::testing
