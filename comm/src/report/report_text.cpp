// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report_text.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace distview::impl {

namespace {

class TextReport {
public:
    explicit TextReport(const ReportContent& content) : m_content(content) {}

    std::string write() {
        head();
        for (const PlanSummary& plan : m_content.plans) about(plan);
        calls();
        advice();
        return m_text;
    }

private:
    template <class... Parts>
    void line(const Parts&... parts) {
        m_text += text(parts..., '\n');
    }
    /// "  name                value", if there is a value.
    void row(std::string_view name, const std::string& value) {
        constexpr std::size_t column = 20;
        if (value.empty()) return;
        line("  ", name, std::string(column - std::min(column - 1, name.size()), ' '), value);
    }
    static std::string times(std::int64_t count, const char* what) {
        return text(count, ' ', what, count == 1 ? "" : "s");
    }

    /// Further lines under the first one.
    static std::string indented(const std::string& lines) {
        std::string result;
        for (const char c : lines) c == '\n' ? result += "\n" + std::string(20, ' ') : result += c;
        return result;
    }

    void head() {
        std::set<int> nodes;
        std::string missing;
        double bandwidth = 0;
        int count = 0;
        for (std::size_t i = 0; i < m_content.ranks.size(); ++i) {
            const RankReport& rank = m_content.ranks[i];
            if (rank.rank < 0) {
                missing += text(missing.empty() ? "" : ", ", i);
                continue;
            }
            nodes.insert(rank.node);
            bandwidth += rank.copy_bandwidth;
            ++count;
        }
        line("DistView report: ", times(static_cast<std::int64_t>(m_content.ranks.size()), "rank"),
             " on ", times(static_cast<std::int64_t>(nodes.size()), "node"));
        if (!missing.empty())
            line("Ranks that had not closed the communicator when this was written, and are "
                 "missing here: ",
                 missing);
        if (bandwidth > 0)
            line("A copy of 4 MiB, by one thread of each rank at a time: ",
                 bytes_text(static_cast<std::int64_t>(bandwidth / count)), " a second");
    }

    void about(const PlanSummary& plan) {
        line();
        line(plan.label, ": ", times(plan.executions, "execution"));
        row("geometry", indented(plan.geometry));
        if (plan.plans > 1) row("plans", text(plan.plans, ", of which this is the first"));
        row("bound", text(times(plan.binds, "time"), ", ", duration_text(plan.binding),
                          " with the executions that did so"));
        for (const TransportTotal& total : plan.transports)
            row(total.transport == "self" ? "within sections" : total.transport,
                total.messages > 0
                    ? text(bytes_text(total.bytes), " in ", times(total.messages, "message"))
                    : bytes_text(total.bytes));
        for (const Reason& reason : plan.reasons)
            row("not in place", text(pairs_text(reason.pairs), ": ", reason.why));
        row("packed by owners", pairs_text(plan.packed.pairs));
        if (plan.ranks.empty()) return;
        const RankTimes slowest = plan.slowest();
        const RankTimes mean = plan.mean();
        row("an execution",
            text("median ", duration_text(slowest.median), ", 99 % within ",
                 duration_text(slowest.percentile99), " (rank ", slowest.rank, ")"));
        const double all = mean.copying + mean.waiting + mean.packing;
        const auto part = [&](const char* what, double seconds) {
            return text(what, ' ', duration_text(seconds), " (",
                        static_cast<int>(100 * seconds / std::max(all, 1e-12) + 0.5), " %)");
        };
        row("of which", text(part("copying", mean.copying), ", ", part("waiting", mean.waiting),
                             ", ", part("packing", mean.packing)));
        row("in all",
            text(duration_text(mean.total), " a rank, waiting ", duration_text(mean.total_waiting),
                 ", packing ", duration_text(mean.total_packing)));
        row("bandwidth", text(share_text(plan.bandwidth_share), " of a copy's"));
        row("step", mean.step > 0
                        ? text(duration_text(mean.step), " from one execution to the next")
                        : std::string());
        row("arrival", arrival(plan));
    }

    /// Ranks by lateness, the last one first.
    static std::string arrival(const PlanSummary& plan) {
        constexpr std::size_t most_told = 4;
        if (plan.ranks.size() < 2) return {};
        std::vector<RankTimes> ranks = plan.ranks;
        std::stable_sort(ranks.begin(), ranks.end(),
                         [](const RankTimes& a, const RankTimes& b) { return a.late > b.late; });
        std::string result =
            text("rank ", ranks.front().rank, " is last, ", duration_text(ranks.front().late),
                 " after the first of its node");
        for (std::size_t i = 1; i < ranks.size() && i < most_told; ++i)
            result += text(i == 1 ? "; " : ", ", "rank ", ranks[i].rank, ' ',
                           duration_text(ranks[i].late));
        return result;
    }

    void calls() {
        for (const RankReport& rank : m_content.ranks) {
            if (rank.rank < 0 || rank.calls.empty()) continue;
            line();
            line("Collective calls of rank ", rank.rank);
            for (const CallRecord& call : rank.calls)
                row(call.name, text(times(call.calls, "call"), ", ", duration_text(call.seconds)));
            return;
        }
    }

    void advice() {
        line();
        line(m_content.advice.empty() ? "Advice: none" : "Advice");
        std::size_t number = 0;
        for (const Advice& advice : m_content.advice) line(++number, ". ", advice.sentence, '.');
    }

    const ReportContent& m_content;
    std::string m_text;
};

} // namespace

std::string report_text(const ReportContent& content) { return TextReport(content).write(); }

} // namespace distview::impl
