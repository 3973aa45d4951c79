// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "communicators.hpp"
#include "field_fixture.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/environment.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace distview::testing {

using distview::impl::Transport;

/// The value of DISTVIEW_TRANSPORT when a plan is built; empty: not set.
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

/// Whether arrays of make_dist_view() can be exchanged here by this transport alone. Collective.
inline bool is_possible(const Communicator& comm, TransportChoice choice) {
    const TransportSetting setting(choice);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(comm.size(), {.padding = 1, .periodic = true})});
    const auto array =
        make_dist_view<double*>(Kokkos::DefaultHostExecutionSpace(), "probe", comm, layout);
    try {
        PaddingExchangePlan plan(comm, layout);
        plan.bind(Kokkos::DefaultHostExecutionSpace(), array);
    } catch (const UsageError& error) {
        // Tests skip an impossible transport; any other error must not be mistaken for that.
        if (std::string_view(error.what()).find("DISTVIEW_TRANSPORT") == std::string_view::npos)
            throw;
        return false;
    }
    return true;
}

/// All possible choices, including "not set". Collective.
inline std::vector<TransportChoice> possible_transports(const Communicator& comm) {
    std::vector<TransportChoice> result;
    for (const TransportChoice choice :
         {TransportChoice(), TransportChoice(Transport::direct),
          TransportChoice(Transport::message), TransportChoice(Transport::ipc),
          TransportChoice(Transport::gpu_message), TransportChoice(Transport::staged)})
        if (is_possible(comm, choice)) result.push_back(choice);
    if (!distview::impl::on_device<Kokkos::DefaultHostExecutionSpace>) {
        EXPECT_TRUE(std::ranges::count(result, TransportChoice(Transport::message)) == 1)
            << "messages are possible everywhere";
    }
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

/// Whether other processes of the node can read a rank's arrays: borrowed arrays are packed for
/// them, unless they are in device memory.
inline bool is_readable(bool all_in_arena) {
    return all_in_arena || !distview::impl::on_device<Kokkos::DefaultHostExecutionSpace>;
}

/// The ranks that send messages to a plan, because it cannot read their arrays in place.
inline std::vector<char> senders_of_messages(const Communicator& comm, TransportChoice choice,
                                             bool all_in_arena) {
    std::vector<char> result = on_all_ranks(comm, !is_readable(all_in_arena));
    for (char& sends : result)
        if (choice == Transport::message || choice == Transport::gpu_message ||
            choice == Transport::staged)
            sends = 1;
        else if (choice)
            sends = 0;
    return result;
}

struct Traffic {
    std::map<int, MessageCount> sent;
    std::map<int, MessageCount> received;
};

/// Messages and bytes, by rank of MPI_COMM_WORLD, that one execute should send and receive: one
/// message per pair of ranks, in which every region of every field is aligned for its elements.
inline Traffic expected_traffic(const PaddingExchangePlan& plan,
                                const std::vector<std::int64_t>& element_sizes, bool one_geometry,
                                bool reversed, const std::vector<char>& sends_messages,
                                const std::vector<int>& hosts) {
    Traffic result;
    for (std::size_t i = 0; i < element_sizes.size(); ++i) {
        const PaddingExchangeSchedule& schedule =
            plan.schedule(one_geometry ? 0 : static_cast<int>(i));
        const auto add = [&](std::map<int, MessageCount>& traffic, const PaddingRegion& region,
                             int sender) {
            if (region.peer == schedule.process()) return;
            const bool one_host = hosts[static_cast<std::size_t>(schedule.process())] ==
                                  hosts[static_cast<std::size_t>(region.peer)];
            if (one_host && !sends_messages[static_cast<std::size_t>(sender)]) return;
            MessageCount& count = traffic[reversed ? world_size() - 1 - region.peer : region.peer];
            count.messages = 1;
            while (count.bytes % std::gcd(element_sizes[i], 64) != 0) ++count.bytes;
            count.bytes += region.elements * element_sizes[i];
        };
        schedule.for_each_sent(
            [&](const PaddingRegion& region) { add(result.sent, region, schedule.process()); });
        schedule.for_each_received(
            [&](const PaddingRegion& region) { add(result.received, region, region.peer); });
    }
    return result;
}

/// The communicators on which cases run: the world in its order, and in reverse order.
struct Worlds {
    OwnedComm reversed = reversed_world();
    Communicator forward_comm{MPI_COMM_WORLD};
    Communicator reversed_comm{reversed.get()};
};

} // namespace distview::testing
