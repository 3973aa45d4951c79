// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transports EXPECTED
// Exchanges padding of arrays in shared memory, if available, and checks the transport against EXPECTED:
//   hosts     read in place within a host, messages between hosts (the run needs two)
//   none      no shared memory for arrays: no array is read in place, and the message sink got a warning
#include <distview/comm.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = DistView<double**, Kokkos::HostSpace>;

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

double value(std::int64_t i, std::int64_t j, int round) {
    return static_cast<double>(round * 100'000'000 + i * 10'000 + j);
}

/// Counts elements that differ from value() after an exchange; both axes are periodic with padding
/// 1, the interior is rows x columns.
int count_wrong(const Array& array, std::int64_t rows, std::int64_t columns, int round) {
    int wrong = 0;
    for (std::size_t i = 0; i < array.view().extent(0); ++i)
        for (std::size_t j = 0; j < array.view().extent(1); ++j) {
            const auto wrap = [&](int axis, std::size_t l, std::int64_t n) {
                const auto at = LocalIndex(static_cast<std::int64_t>(l));
                return (array.global_index(axis, at).value() + n) % n;
            };
            wrong += array.view()(i, j) != value(wrap(0, i, rows), wrap(1, j, columns), round);
        }
    return wrong;
}

void fill(const Array& array, int round) {
    Kokkos::deep_copy(array.view(), -1.0);
    const LocalRange rows = array.interior_range(0);
    const LocalRange columns = array.interior_range(1);
    for (auto i = rows.begin; i < rows.end; ++i)
        for (auto j = columns.begin; j < columns.end; ++j)
            array.view()(i.value(), j.value()) =
                value(array.global_index(0, i).value(), array.global_index(1, j).value(), round);
}

/// Lists wrong transports in a plan's description.
std::vector<std::string> check_transports(const std::string& description, std::string_view expected,
                                          int rank, const std::vector<std::string>& hosts) {
    std::vector<std::string> faults;
    for (int peer = 0; peer < static_cast<int>(hosts.size()); ++peer) {
        if (peer == rank) continue;
        const std::string from = text("from rank ", peer, ": ");
        const auto at = description.find(from);
        if (at == std::string::npos) continue; // not a neighbour
        const std::string line = description.substr(at, description.find('\n', at) - at);
        const auto here = static_cast<std::size_t>(rank);
        // Buffers packed for a neighbour may fit where arrays do not.
        const bool packed = line.find("packed by that rank") != std::string::npos;
        const bool direct =
            line.find("direct") != std::string::npos && !(expected == "none" && packed);
        const bool should =
            expected == "hosts" && hosts[here] == hosts[static_cast<std::size_t>(peer)];
        if (direct != should) faults.push_back(line);
    }
    return faults;
}

} // namespace

int main(int argc, char** argv) {
    Runtime runtime(argc, argv);
    const std::string_view expected = argc > 1 ? argv[1] : "hosts";
    Communicator comm(MPI_COMM_WORLD);
    const Exec exec;
    std::vector<std::string> warnings;
    set_message_sink([&](Severity, std::string_view message) { warnings.emplace_back(message); });

    std::array<char, 64> name{};
    host_name().copy(name.data(), name.size() - 1);
    std::vector<std::string> hosts;
    for (const auto& host : all_gather(comm, name)) hosts.emplace_back(host.data());

    int faults = 0;
    for (const ProcessGrid& grid : {ProcessGrid{comm.size(), 1}, ProcessGrid{1, comm.size()},
                                    ProcessGrid::balanced(comm.size(), 2)}) {
        // More than one MiB for every rank.
        const std::int64_t rows = 400 * comm.size();
        const std::int64_t columns = 401;
        const BlockOptions ring{.padding = 1, .periodic = true};
        const ArrayLayout layout(grid, {block(rows, ring), block(columns, ring)});
        const auto a = make_dist_view<double**, Kokkos::HostSpace>(exec, "a", comm, layout);
        const auto b = make_dist_view<double**, Kokkos::HostSpace>(exec, "b", comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int round = 0; round < 4; ++round) {
            fill(a, round);
            fill(b, round + 10);
            plan.execute(exec, a, b);
            faults +=
                count_wrong(a, rows, columns, round) + count_wrong(b, rows, columns, round + 10);
        }
        for (const std::string& fault :
             check_transports(plan.describe(), expected, comm.rank(), hosts)) {
            std::printf("process %d on %s: %s\n", comm.rank(), name.data(), fault.c_str());
            ++faults;
        }
    }
    if (expected == "hosts" && std::set<std::string>(hosts.begin(), hosts.end()).size() < 2) {
        std::printf("there is one host\n");
        ++faults;
    }
    if (expected == "none" && warnings.size() != 1) {
        std::printf("process %d: %zu warnings of missing shared memory\n", comm.rank(),
                    warnings.size());
        ++faults;
    }
    faults = all_reduce(comm, ReduceOperation::sum, faults);
    if (comm.rank() == 0) std::puts(faults == 0 ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    comm.close();
    return faults == 0 ? 0 : 1;
}
