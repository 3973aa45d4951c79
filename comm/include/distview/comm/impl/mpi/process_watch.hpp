// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace distview::impl {

/// Notices that processes of a communicator have ended: those of this node by the operating system, all of them
/// where MPI survives it and tells (ULFM; elsewhere MPI ends the job).
class ProcessWatch {
public:
    /// `calls` lives longer.
    ProcessWatch(MPI_Comm comm, Calls& calls);
    ~ProcessWatch();
    ProcessWatch(const ProcessWatch&) = delete;
    ProcessWatch& operator=(const ProcessWatch&) = delete;

    /// Throws MpiError that names the ranks if some have ended. For waiting loops: looks at one process of the
    /// node for each millisecond, and asks MPI every 20.
    void check();

    /// "rank 2 of 4 ended" and so on, for what MPI returned in a call of this process; "" if no rank is known to
    /// have ended. Where the code says that one has, waits up to two seconds for its number. Of all communicators, one in
    /// a call first, or of that one.
    static std::string describe_ended(int code, const ProcessWatch* of = nullptr);
    /// Throws MpiError that says so, if any is; before an error is thrown that would be of little help then.
    static void throw_if_ended(int code, const ProcessWatch* of = nullptr);
    /// Code of these errors; MPI's own where it has one.
    static const int process_failed;

private:
    std::string find_ended() const;
    std::vector<int> ended_for_mpi() const;
    bool has_ended(const Calls::Rank& other) const;

    using Clock = std::chrono::steady_clock;
    MPI_Comm m_comm;
    Calls* m_calls;
    std::size_t m_next = 0; ///< of the node's ranks, to be looked at
    Clock::time_point m_looked{};
    Clock::time_point m_asked{}; ///< MPI
};

} // namespace distview::impl
