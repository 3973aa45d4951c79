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
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

/// Contribution of this rank; without plans if it did not want a report.
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

/// One communicator's reports on their way to rank 0.
struct Collection {
    CommunicatorState* state = nullptr;
    std::string mine{};
    int size = 0;
    std::vector<int> sizes{};
    std::vector<int> begins{};
    std::string all{};
    int fits = 1; ///< whether rank 0 has memory for all
};

void wait_for_all(std::vector<MPI_Request>& requests) {
    int done = 0;
    while (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                       MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
           done == 0)
        std::this_thread::yield();
}

/// Bytes of this rank's report, of which those of all ranks are as many as MPI counts; none if there is no memory for them.
std::string measured_bytes(CommunicatorState& state) noexcept {
    const std::size_t most = static_cast<std::size_t>(std::numeric_limits<int>::max()) /
                             static_cast<std::size_t>(state.size());
    try {
        RankReport report = own_report(state);
        measure_copies(report);
        return packed(std::move(report), most);
    } catch (...) {
        return {};
    }
}

/// Of several communicators at once: ranks need not have them in the same order.
void collect(std::vector<Collection>& collections) {
    std::vector<MPI_Request> requests(collections.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < collections.size(); ++i) {
        Collection& it = collections[i];
        it.size = static_cast<int>(it.mine.size());
        if (it.state->rank() == 0) it.sizes.resize(static_cast<std::size_t>(it.state->size()));
        MPI_Igather(&it.size, 1, MPI_INT, it.sizes.data(), 1, MPI_INT, 0, it.state->comm(),
                    &requests[i]);
    }
    wait_for_all(requests);
    for (std::size_t i = 0; i < collections.size(); ++i) {
        Collection& it = collections[i];
        it.begins.resize(it.sizes.size());
        std::exclusive_scan(it.sizes.begin(), it.sizes.end(), it.begins.begin(), 0);
        try {
            if (!it.sizes.empty())
                it.all.resize(static_cast<std::size_t>(it.begins.back() + it.sizes.back()));
        } catch (const std::bad_alloc&) {
            it.fits = 0;
        }
        MPI_Ibcast(&it.fits, 1, MPI_INT, 0, it.state->comm(), &requests[i]);
    }
    wait_for_all(requests);
    for (std::size_t i = 0; i < collections.size(); ++i) {
        Collection& it = collections[i];
        if (!it.fits) continue;
        MPI_Igatherv(it.mine.data(), it.size, MPI_BYTE, it.all.data(), it.sizes.data(),
                     it.begins.data(), MPI_BYTE, 0, it.state->comm(), &requests[i]);
    }
    wait_for_all(requests);
}

void write(const Collection& collection) {
    std::vector<RankReport> ranks;
    for (std::size_t i = 0; i < collection.sizes.size(); ++i) {
        const auto begin = static_cast<std::size_t>(collection.begins[i]);
        const auto size = static_cast<std::size_t>(collection.sizes[i]);
        ranks.push_back(size == 0 ? RankReport()
                                  : unpacked(std::string_view(collection.all).substr(begin, size)));
    }
    const std::string& file = collection.state->report()->file();
    const auto lacking = std::count(collection.sizes.begin(), collection.sizes.end(), 0);
    if (lacking > 0)
        distview::report(Severity::warning,
                         text("distview: the report '", file, "' lacks the figures of ", lacking,
                              " of ", ranks.size(), " ranks, for which there is no room"));
    write_report(file, ranks);
}

} // namespace

void write_reports(std::span<const std::shared_ptr<CommunicatorState>> open,
                   const std::vector<int>& is_wanted) noexcept {
    try {
        std::vector<Collection> collections;
        for (std::size_t i = 0; i < open.size(); ++i)
            if (is_wanted[i] != 0) collections.push_back({.state = open[i].get()});
        if (collections.empty()) return;
        for (Collection& it : collections) it.mine = measured_bytes(*it.state);
        collect(collections);
        for (const Collection& it : collections)
            if (!it.fits)
                write_own_report(*it.state);
            else if (it.state->rank() == 0)
                write(it);
    } catch (...) {
        return; // no memory: what was to be sent was sent
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
