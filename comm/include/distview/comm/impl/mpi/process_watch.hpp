// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace distview::impl {

/// Detects ended processes of a communicator: on this node through the operating system, on all
/// nodes if MPI survives the end and reports it (ULFM; otherwise MPI ends the job).
class ProcessWatch {
public:
    /// `calls` must outlive this object.
    ProcessWatch(MPI_Comm comm, Calls& calls);
    ~ProcessWatch();
    ProcessWatch(const ProcessWatch&) = delete;
    ProcessWatch& operator=(const ProcessWatch&) = delete;

    /// Throws MpiError that names the ranks if processes have ended. For waiting loops: checks
    /// one process of the node for each millisecond passed, and asks MPI every 20 ms.
    void check();

    /// Text such as "rank 2 of 4 ended" for a code that an MPI call returned; "" if no rank is known
    /// to have ended. If the code reports an ended process, waits up to two seconds for its rank.
    /// Searches all communicators, and prefers one with a call under way; or only that of `of`.
    static std::string describe_ended(int code, const ProcessWatch* of = nullptr);
    /// Throws MpiError with that text if a rank has ended; called before an error is thrown that would help less.
    static void throw_if_ended(int code, const ProcessWatch* of = nullptr);
    /// Code of these errors; MPI's own code if it has one.
    static const int process_failed;

private:
    std::string find_ended() const;
    std::vector<int> ended_for_mpi() const;
    bool has_ended(const Calls::Rank& other) const;

    using Clock = std::chrono::steady_clock;
    MPI_Comm m_comm;
    Calls* m_calls;
    std::size_t m_next = 0; ///< next of the node's ranks to check
    Clock::time_point m_looked{};
    Clock::time_point m_asked{}; ///< when MPI was last asked
};

} // namespace distview::impl
