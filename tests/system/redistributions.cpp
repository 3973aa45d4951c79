// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistributes and transposes over ranks of two hosts, also with labels known only to the ranks that own them,
// and checks the transport: within a host memory is read or written in place, between hosts messages are sent.
// The same holds between containers of one machine, each of which has its own host name.
#include <distview/comm.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = DistView<double**, Kokkos::HostSpace>;

struct Place {
    Communicator comm{MPI_COMM_WORLD};
    std::vector<std::string> hosts; ///< by rank
    Place() {
        std::array<char, 64> name{};
        ::gethostname(name.data(), name.size() - 1);
        for (const auto& host : all_gather(comm, name)) hosts.emplace_back(host.data());
    }
    bool is_near(int rank) const {
        return hosts[static_cast<std::size_t>(rank)] ==
               hosts[static_cast<std::size_t>(comm.rank())];
    }
};

template <class Visit>
void for_each(const Array& array, Visit&& visit) {
    for (std::size_t i = 0; i < array.view().extent(0); ++i)
        for (std::size_t j = 0; j < array.view().extent(1); ++j)
            visit(array.view()(i, j),
                  array.global_index(0, LocalIndex(static_cast<std::int64_t>(i))).value(),
                  array.global_index(1, LocalIndex(static_cast<std::int64_t>(j))).value());
}

double value(std::int64_t i, std::int64_t j, int round) {
    return static_cast<double>(round * 100'000'000 + i * 10'000 + j);
}

/// Counts the peers whose line in the plan's description is wrong or missing.
int count_wrong_transports(const Place& place, const RedistributionPlan& plan) {
    const std::string description = plan.describe();
    const auto transports = [&](const char* direction, const std::vector<int>& peers) {
        int wrong = 0;
        for (const int peer : peers) {
            const std::string begin = text("\n  ", direction, " rank ", peer, ": ");
            const auto at = description.find(begin);
            const std::string line =
                at == std::string::npos ? "" : description.substr(at + begin.size(), 12);
            const bool in_place = line.starts_with("direct") || line.starts_with("read in pla");
            const bool message = line.starts_with("message");
            if (place.is_near(peer) ? in_place : message) continue;
            std::printf("rank %d:%s'%s'\n", place.comm.rank(), begin.c_str(), line.c_str());
            ++wrong;
        }
        return wrong;
    };
    return transports("from", plan.receive_peers()) + transports("to", plan.send_peers());
}

/// c = a^T and back; returns the number of faults.
int count_faults(const Place& place, const ArrayLayout& from, const ArrayLayout& to) {
    const Exec exec;
    const auto a = make_dist_view<double**, Kokkos::HostSpace>(exec, "a", place.comm, from);
    const auto b = make_dist_view<double**, Kokkos::HostSpace>(exec, "b", place.comm, from);
    const auto c = make_dist_view<double**, Kokkos::HostSpace>(exec, "c", place.comm, to);
    RedistributionPlan there(place.comm, from, to, {.permutation = {1, 0}});
    RedistributionPlan back(place.comm, to, from, {.permutation = {1, 0}});
    int faults = 0;
    for (int round = 0; round < 4; ++round) {
        for_each(a, [&](double& x, std::int64_t i, std::int64_t j) { x = value(i, j, round); });
        Kokkos::deep_copy(exec, b.view(), -1.0);
        there.execute(exec, a, c);
        back.execute(exec, c, b);
        for_each(c, [&](double x, std::int64_t j, std::int64_t i) {
            faults += x != value(i, j, round);
        });
        for_each(b, [&](double x, std::int64_t i, std::int64_t j) {
            faults += x != value(i, j, round);
        });
    }
    return faults + count_wrong_transports(place, there) + count_wrong_transports(place, back);
}

/// Checks the workspace for borrowed arrays, which their owner packs for other ranks: one buffer
/// per rank of its host, and two (to send and to receive) per rank of the other host.
int count_wasted_bytes(const Place& place) {
    const Exec exec;
    const int n = place.comm.size();
    const std::int64_t cells = 240 / n * n;
    const ArrayLayout layout(ProcessGrid{n, 1}, {block(cells), block(cells)});
    const Array a(exec, "a", layout, place.comm.rank());
    const Array c(exec, "c", layout, place.comm.rank());
    RedistributionPlan plan(place.comm, layout, layout, {.permutation = {1, 0}});
    for_each(a, [&](double& x, std::int64_t i, std::int64_t j) { x = value(i, j, 0); });
    plan.execute(exec, a, c);
    int faults = count_wrong_transports(place, plan);
    for_each(c, [&](double x, std::int64_t j, std::int64_t i) { faults += x != value(i, j, 0); });
    const std::int64_t bytes = (cells / n * cells / n * 8 + 63) / 64 * 64; // whole cache lines
    std::int64_t expected = 0;
    for (int rank = 0; rank < n; ++rank)
        if (rank != place.comm.rank()) expected += (place.is_near(rank) ? 1 : 2) * bytes;
    if (static_cast<std::int64_t>(plan.workspace_bytes()) > expected) {
        std::printf("rank %d: workspace of %zu bytes, expected %lld\n", place.comm.rank(),
                    plan.workspace_bytes(), static_cast<long long>(expected));
        ++faults;
    }
    return faults;
}

} // namespace

int main(int argc, char** argv) {
    Runtime runtime(argc, argv);
    Place place;
    const int n = place.comm.size();
    // Messages of some KiB and of more than one MiB.
    int faults = count_wasted_bytes(place);
    for (const std::int64_t rows : {std::int64_t{60}, std::int64_t{1200}}) {
        const std::int64_t columns = rows / 2 + 1;
        const ArrayLayout slabs(ProcessGrid{n, 1}, {block(rows), block(columns)});
        faults += count_faults(place, slabs,
                               ArrayLayout(ProcessGrid{n, 1}, {block(columns), block(rows)}));
        faults += count_faults(
            place, slabs,
            ArrayLayout(ProcessGrid{1, n}, {block_cyclic(columns, 7), block_cyclic(rows, 5)}));
        std::vector<std::int64_t> own; // known to this rank only
        for (std::int64_t label = rows - 1 - place.comm.rank(); label >= 0; label -= n)
            own.push_back(label);
        const ArrayLayout mesh(ProcessGrid{n, 1},
                               {unstructured_local(rows, place.comm.rank(), own), block(columns)});
        faults += count_faults(place, mesh,
                               ArrayLayout(ProcessGrid{1, n}, {block(columns), block(rows)}));
    }
    if (std::set<std::string>(place.hosts.begin(), place.hosts.end()).size() < 2) {
        std::printf("there is one host\n");
        ++faults;
    }
    faults = all_reduce(place.comm, ReduceOperation::sum, faults);
    if (place.comm.rank() == 0)
        std::puts(faults == 0 ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    place.comm.close();
    return faults == 0 ? 0 : 1;
}
