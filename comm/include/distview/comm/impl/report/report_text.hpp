// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/advice.hpp>
#include <distview/comm/impl/report/report_summary.hpp>

#include <span>
#include <string>

namespace distview::impl {

/// Contents of a report.
struct ReportContent {
    std::span<const RankReport> ranks{};
    std::span<const PlanSummary> plans{};
    std::span<const Advice> advice{};
};

/// For people.
std::string report_text(const ReportContent& content);
/// One object a line: "report", then "plan", "transport", "reason", "rank", "call" and "advice" lines. Seconds and bytes.
std::string report_json(const ReportContent& content);

} // namespace distview::impl
