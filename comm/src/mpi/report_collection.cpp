// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <distview/comm/impl/report/report.hpp>
#include <distview/comm/impl/report/report_log.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace distview::impl {

namespace {

/// Contribution of this rank; without plans if it wanted no report.
RankReport own_report(CommunicatorState& state) {
    RankReport report;
    report.rank = state.rank();
    report.node = state.calls().ranks().front().rank;
    report.ranks_of_node = static_cast<int>(state.calls().ranks().size());
    report.processors = state.ranks().processors;
    report.lacked_shared_memory = state.arena()->has_failed();
    const ReportLog* const log = state.report();
    if (!log) return report;
    for (const auto& plan : log->plans()) report.plans.push_back(*plan);
    report.calls = log->calls();
    return report;
}

/// Packed report of this rank; empty if there is no memory for it.
std::string measured_bytes(CommunicatorState& state) noexcept {
    try {
        RankReport report = own_report(state);
        measure_copies(report);
        return packed(std::move(report), most_report_bytes(state));
    } catch (...) {
        return {};
    }
}

/// Receives another rank's report; an empty one if either rank has no memory for it.
RankReport received(CommunicatorState& state, int rank) {
    constexpr int tag = NodeMessages::tag_of_reports;
    MPI_Status status;
    int found = 0;
    while (MPI_Iprobe(rank, tag, state.comm(), &found, &status) == MPI_SUCCESS && !found)
        std::this_thread::yield();
    char* const room = state.closing().room.get();
    int size = 0;
    if (!found || MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS ||
        MPI_Recv(room, size, MPI_BYTE, rank, tag, state.comm(), MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return {};
    try {
        return size == 0 ? RankReport() : unpacked({room, static_cast<std::size_t>(size)});
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// On rank 0: writes the report of all ranks.
void write(CommunicatorState& state) noexcept {
    try {
        std::vector<RankReport> ranks(static_cast<std::size_t>(state.size()));
        if (const std::string& mine = state.closing().report; !mine.empty())
            ranks.front() = unpacked(mine);
        for (int rank = 1; rank < state.size(); ++rank)
            ranks[static_cast<std::size_t>(rank)] = received(state, rank);
        const std::string& file = state.report()->file();
        const auto lacking = std::count_if(ranks.begin(), ranks.end(),
                                           [](const RankReport& each) { return each.rank < 0; });
        if (lacking > 0)
            distview::report(Severity::warning,
                             text("distview: the report '", file, "' lacks the figures of ",
                                  lacking, " of ", ranks.size(),
                                  " ranks, because memory was short"));
        write_report(file, ranks);
    } catch (...) {
        write_own_report(state); // if there is memory for that
    }
}

} // namespace

std::size_t most_report_bytes(const CommunicatorState& state) noexcept {
    constexpr int usual = 1 << 24;
    return static_cast<std::size_t>(
        std::min(usual, std::numeric_limits<int>::max() / state.size()));
}

void write_reports(std::span<const std::shared_ptr<CommunicatorState>> open) noexcept {
    for (const auto& state : open) {
        CommunicatorState::Closing& own = state->closing();
        if (own.wants_report == 0 && !own.has_failed) continue;
        // If a rank has ended, rank 0 may still wait for this rank: it gets an empty report.
        if (!own.has_failed) own.report = measured_bytes(*state);
        if (state->rank() != 0)
            MPI_Isend(own.report.data(), static_cast<int>(own.report.size()), MPI_BYTE, 0,
                      NodeMessages::tag_of_reports, state->comm(), &own.request);
    }
    // Only after all sends have begun: rank 0 of one communicator waits for ranks that are rank 0 of another.
    for (const auto& state : open) {
        if (state->rank() != 0 || !state->report()) continue;
        if (state->closing().room && !state->closing().has_failed)
            write(*state);
        else
            write_own_report(*state);
    }
    for (const auto& state : open) {
        while (!state->closing().is_done()) std::this_thread::yield();
        state->closing().report = {};
        state->closing().room.reset();
    }
}

void write_own_report(CommunicatorState& state) noexcept {
    if (state.rank() != 0 || !state.report()) return;
    try {
        std::vector<RankReport> ranks(static_cast<std::size_t>(state.size()));
        ranks.front() = own_report(state);
        write_report(state.report()->file(), ranks);
    } catch (...) {
        return;
    }
}

} // namespace distview::impl
