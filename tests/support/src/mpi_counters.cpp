// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/mpi_counters.hpp>

#include "mpi_tally.hpp"

#include <mutex>

namespace distview::testing {

namespace {

struct PersistentMessage {
    impl::Direction direction;
    int peer;
    std::int64_t bytes;
};

/// The counts since the start of the program; a counter is the difference of two states.
struct Tally {
    std::mutex mutex;
    MpiTraffic traffic;
    MpiHandles handles;
    std::map<MPI_Request, PersistentMessage> persistent;
};

/// Never destroyed: MPI may be called from destructors of static objects.
Tally& tally() {
    static Tally& instance = *new Tally;
    return instance;
}

std::int64_t message_bytes(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return std::int64_t{count} * size;
}

int world_rank(int peer, MPI_Comm comm) {
    if (peer < 0) {
        return peer;
    }
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    MPI_Group peers = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    if (is_inter != 0) {
        PMPI_Comm_remote_group(comm, &peers);
    } else {
        PMPI_Comm_group(comm, &peers);
    }
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int translated = MPI_UNDEFINED;
    int peer_count = 0;
    PMPI_Group_size(peers, &peer_count);
    if (peer < peer_count) { // Open MPI reads beyond the group for other values
        PMPI_Group_translate_ranks(peers, 1, &peer, world, &translated);
    }
    PMPI_Group_free(&peers);
    PMPI_Group_free(&world);
    return translated;
}

void count(MpiTraffic& traffic, const PersistentMessage& message) {
    auto& peers = message.direction == impl::Direction::send ? traffic.sent : traffic.received;
    MessageCount& counted = peers[message.peer];
    counted.messages += 1;
    counted.bytes += message.bytes;
}

void subtract(std::map<int, MessageCount>& counts, const std::map<int, MessageCount>& before) {
    for (const auto& [peer, count] : before) {
        MessageCount& counted = counts[peer];
        counted.messages -= count.messages;
        counted.bytes -= count.bytes;
        if (counted == MessageCount{}) {
            counts.erase(peer);
        }
    }
}

void subtract(std::map<std::string, std::int64_t>& counts,
              const std::map<std::string, std::int64_t>& before) {
    for (const auto& [name, count] : before) {
        std::int64_t& counted = counts[name];
        counted -= count;
        if (counted == 0) {
            counts.erase(name);
        }
    }
}

MessageCount total(const std::map<int, MessageCount>& counts) {
    MessageCount sum;
    for (const auto& [peer, count] : counts) {
        sum.messages += count.messages;
        sum.bytes += count.bytes;
    }
    return sum;
}

MpiTraffic traffic_so_far() {
    const UncountedScope not_the_test;
    const std::lock_guard lock(tally().mutex);
    return tally().traffic;
}

} // namespace

namespace impl {

void note_message(Direction direction, int n, MPI_Datatype type, int peer, MPI_Comm comm) {
    if (peer != MPI_PROC_NULL) {
        const PersistentMessage message{direction, world_rank(peer, comm), message_bytes(n, type)};
        const std::lock_guard lock(tally().mutex);
        count(tally().traffic, message);
    }
}

void note_persistent(Direction direction, int n, MPI_Datatype type, int peer, MPI_Comm comm,
                     MPI_Request request) {
    if (peer != MPI_PROC_NULL) {
        const PersistentMessage message{direction, world_rank(peer, comm), message_bytes(n, type)};
        const std::lock_guard lock(tally().mutex);
        tally().persistent[request] = message;
    }
}

void forget_persistent(MPI_Request request) {
    const std::lock_guard lock(tally().mutex);
    tally().persistent.erase(request);
}

void note_start(MPI_Request request) {
    const std::lock_guard lock(tally().mutex);
    const auto message = tally().persistent.find(request);
    if (message != tally().persistent.end()) {
        count(tally().traffic, message->second);
    }
}

void note_collective(const char* name) {
    const std::lock_guard lock(tally().mutex);
    ++tally().traffic.collectives[name];
}

void note_one_sided(const char* name) {
    const std::lock_guard lock(tally().mutex);
    ++tally().traffic.one_sided[name];
}

void add_handles(std::int64_t MpiHandles::* kind, std::int64_t n) {
    const std::lock_guard lock(tally().mutex);
    tally().handles.*kind += n;
}

void link_mpi_wrappers() {
    link_message_wrappers();
    link_request_wrappers();
    link_collective_wrappers();
    link_object_wrappers();
    link_other_wrappers();
}

} // namespace impl

MessageCount MpiTraffic::sent_total() const { return total(sent); }

MessageCount MpiTraffic::received_total() const { return total(received); }

std::int64_t MpiTraffic::collective_calls() const {
    std::int64_t sum = 0;
    for (const auto& [name, calls] : collectives) {
        sum += calls;
    }
    return sum;
}

MpiCounters::MpiCounters() : m_traffic(traffic_so_far()) {}

const MpiTraffic& MpiCounters::stop() {
    if (m_counting) {
        m_counting = false;
        const UncountedScope not_the_test;
        MpiTraffic now = traffic_so_far();
        subtract(now.sent, m_traffic.sent);
        subtract(now.received, m_traffic.received);
        subtract(now.collectives, m_traffic.collectives);
        subtract(now.one_sided, m_traffic.one_sided);
        m_traffic = std::move(now);
    }
    return m_traffic;
}

MpiHandles live_mpi_handles() {
    const std::lock_guard lock(tally().mutex);
    return tally().handles;
}

std::string describe(const MpiHandles& handles) {
    std::string text;
    const auto add = [&text](std::int64_t n, const char* what) {
        if (n != 0) {
            text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + what;
        }
    };
    add(handles.communicators, "communicators");
    add(handles.datatypes, "datatypes");
    add(handles.requests, "requests");
    add(handles.groups, "groups");
    add(handles.windows, "windows");
    add(handles.ops, "operations");
    add(handles.infos, "infos");
    return text.empty() ? "none" : text;
}

} // namespace distview::testing
