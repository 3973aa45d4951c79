// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/report_file.hpp"

#include <distview/comm/impl/report/report_text.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <fstream>
#include <mutex>
#include <set>
#include <vector>

namespace distview::impl {

namespace {

/// Whether this process has not written to that file yet.
bool is_first(const std::string& file) {
    static std::mutex mutex;
    static std::set<std::string>& written = *new std::set<std::string>; // MPI may end after statics
    const std::lock_guard lock(mutex);
    return written.insert(file).second;
}

} // namespace

void write_report(const std::string& file, std::span<const RankReport> ranks) {
    const std::vector<PlanSummary> plans = summaries_of(ranks);
    if (plans.empty()) return; // of a communicator that nothing was done with
    const std::vector<Advice> advice = advise(ranks, plans);
    const ReportContent content{ranks, plans, advice};
    const std::string written =
        file.ends_with(".json") ? report_json(content) : report_text(content);
    std::ofstream out(file, is_first(file) ? std::ios::trunc : std::ios::app);
    out << written << std::flush;
    if (!out)
        report(Severity::warning, text("distview: the report cannot be written to '", file, "'"));
}

} // namespace distview::impl
