// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/report_summary.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// A change that would help a program, and the time it would save.
struct Advice {
    /// "process_grid", "depth", "unwritten", "imbalance", "oversubscription", "borrowed", "messages", "staging",
    /// "short_runs", "many_plans", "binding", "call".
    std::string kind{};
    std::string plan{}; ///< label, or empty
    std::string sentence{};
    /// Predicted time as a share of what it is now: of an execution, or of a step where the sentence says so.
    std::optional<double> share{};
};

/// Derives advice from the gathered numbers alone; pure. Copies have been measured (ExchangeShape::seconds).
std::vector<Advice> advise(std::span<const RankReport> ranks, std::span<const PlanSummary> plans);

} // namespace distview::impl
