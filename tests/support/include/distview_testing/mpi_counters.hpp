// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace distview::testing {

struct MessageCount {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;

    bool operator==(const MessageCount&) const = default;
};

/// The MPI traffic of this process. Peers are ranks of MPI_COMM_WORLD.
///
/// A persistent message counts each time it is started. Messages to MPI_PROC_NULL do not count. `received` counts
/// posted receives, with the size of their buffers; their source may be MPI_ANY_SOURCE.
struct MpiTraffic {
    std::map<int, MessageCount> sent;
    std::map<int, MessageCount> received;
    /// Calls by name, such as "MPI_Allreduce". Includes MPI_Comm_dup and its like.
    std::map<std::string, std::int64_t> collectives;
    /// Calls by name, such as "MPI_Put".
    std::map<std::string, std::int64_t> one_sided;

    MessageCount sent_total() const;
    MessageCount received_total() const;
    std::int64_t collective_calls() const;
};

/// Counts the MPI calls of this process from construction to stop(), through the profiling
/// interface. It does not see MPI 4's large-count functions (MPI_Send_c), partitioned messages and
/// persistent collectives.
class MpiCounters {
public:
    MpiCounters();

    /// Ends the counting; a second call gives the same result.
    const MpiTraffic& stop();

private:
    bool m_counting = true;
    MpiTraffic m_traffic;
};

/// Numbers of MPI objects: those created minus those freed.
struct MpiHandles {
    std::int64_t communicators = 0;
    std::int64_t datatypes = 0;
    std::int64_t requests = 0;
    std::int64_t groups = 0;
    std::int64_t windows = 0;
    std::int64_t ops = 0;
    std::int64_t infos = 0;

    bool operator==(const MpiHandles&) const = default;
};

/// The objects of this process that are alive now. The main of the tests fails the program if any
/// object is left after MPI_Finalize, unless DISTVIEW_TEST_CHECK_HANDLES=0.
MpiHandles live_mpi_handles();

std::string describe(const MpiHandles& handles);

} // namespace distview::testing
