// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report.hpp>

#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>

namespace distview::impl {

namespace {

/// Contents of a report.
struct ReportContent {
    std::span<const RankReport> ranks{};
    std::span<const PlanSummary> plans{};
    std::span<const Advice> advice{};
};

/// Report for the user.
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
    /// Adds "  name                value" unless the value is empty.
    void row(std::string_view name, const std::string& value) {
        constexpr std::size_t column = 20;
        if (value.empty()) return;
        line("  ", name, std::string(column - std::min(column - 1, name.size()), ' '), value);
    }
    static std::string times(std::int64_t count, const char* what) {
        return text(count, ' ', what, count == 1 ? "" : "s");
    }

    /// Indents further lines to the column of the first one.
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
             missing.empty()
                 ? text(" on ", times(static_cast<std::int64_t>(nodes.size()), "node"))
                 : text("; figures had not arrived when this was written, from ranks: ", missing));
        if (bandwidth > 0)
            line("A copy of ", bandwidth_bytes >> 20,
                 " MiB, by one thread of each rank at a time: ",
                 bytes_text(static_cast<std::int64_t>(bandwidth / count)), " a second");
    }

    void about(const PlanSummary& plan) {
        line();
        line(plan.label, ": ", times(plan.executions, "execution"));
        row("geometry", indented(plan.geometry));
        if (plan.plans > 1) row("plans", text(plan.plans, ", of which this is the first"));
        row("bound", text(times(plan.binds, "time"), ", ", duration_text(plan.binding),
                          " including these executions"));
        for (const TransportTotal& total : plan.transports)
            row(total.transport == "self" ? "within sections" : total.transport,
                total.messages > 0
                    ? text(bytes_text(total.bytes), " in ", times(total.messages, "message"))
                    : bytes_text(total.bytes));
        for (const Reason& reason : plan.reasons)
            row("not in place", text(pairs_text(reason.pairs), ": ", reason.why));
        row("packed by owners", pairs_text(plan.packed));
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
        row("bandwidth", text(share_text(plan.bandwidth_share), " of a copy's bandwidth"));
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

/// One flat object.
class JsonLine {
public:
    explicit JsonLine(std::string_view type) { add("type", type); }

    JsonLine& add(std::string_view name, std::string_view value) {
        begin(name);
        quote(value);
        return *this;
    }
    template <class Number>
        requires std::integral<Number> || std::floating_point<Number>
    JsonLine& add(std::string_view name, Number value) {
        begin(name);
        std::array<char, 32> digits{};
        m_text.append(digits.data(),
                      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
        return *this;
    }
    std::string end() { return m_text + "}\n"; }

private:
    void begin(std::string_view name) {
        m_text += m_text.empty() ? "{" : ", ";
        quote(name);
        m_text += ": ";
    }
    void quote(std::string_view value) {
        constexpr std::string_view digits = "0123456789abcdef";
        m_text += '"';
        for (const char c : value) {
            const auto code = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\')
                (m_text += '\\') += c;
            else if (code < 0x20)
                ((m_text += "\\u00") += digits[code / 16]) += digits[code % 16];
            else
                m_text += c;
        }
        m_text += '"';
    }

    std::string m_text;
};

std::string json_of(const PlanSummary& plan) {
    const RankTimes slowest = plan.slowest();
    const RankTimes mean = plan.mean();
    JsonLine line("plan");
    line.add("plan", plan.label)
        .add("geometry", plan.geometry)
        .add("plans", plan.plans)
        .add("executions", plan.executions)
        .add("binds", plan.binds)
        .add("binding_seconds", plan.binding)
        .add("median_seconds", slowest.median)
        .add("percentile99_seconds", slowest.percentile99)
        .add("slowest_rank", slowest.rank);
    for (const NamedTime& time : named_times)
        if (time.is_of_plan) line.add(time.name, mean.*time.member);
    std::string result = line.add("bandwidth_share", plan.bandwidth_share).end();
    for (const TransportTotal& total : plan.transports)
        result += JsonLine("transport")
                      .add("plan", plan.label)
                      .add("transport", total.transport)
                      .add("bytes", total.bytes)
                      .add("messages", total.messages)
                      .end();
    const auto add_reasons = [&](const RankPairs& pairs, std::string_view why) {
        for (const auto& [reader, owner] : pairs)
            result += JsonLine("reason")
                          .add("plan", plan.label)
                          .add("reader", reader)
                          .add("owner", owner)
                          .add("why", why)
                          .end();
    };
    for (const Reason& reason : plan.reasons) add_reasons(reason.pairs, reason.why);
    add_reasons(plan.packed, "borrowed memory, packed by its owner");
    for (const RankTimes& times : plan.ranks) {
        JsonLine of_rank("rank");
        of_rank.add("plan", plan.label).add("rank", times.rank);
        for (const NamedTime& time : named_times)
            if (time.is_of_rank) of_rank.add(time.name, times.*time.member);
        result += of_rank.end();
    }
    return result;
}

/// One object a line: "report", then "plan", "transport", "reason", "rank", "call" and "advice"; in seconds and bytes.
std::string report_json(const ReportContent& content) {
    JsonLine head("report");
    int missing = 0;
    double bandwidth = 0;
    for (const RankReport& rank : content.ranks) {
        missing += rank.rank < 0 ? 1 : 0;
        bandwidth += rank.copy_bandwidth;
    }
    const auto present = static_cast<int>(content.ranks.size()) - missing;
    std::string result = head.add("ranks", content.ranks.size())
                             .add("missing_ranks", missing)
                             .add("copy_bandwidth", present > 0 ? bandwidth / present : 0)
                             .end();
    for (const PlanSummary& plan : content.plans) result += json_of(plan);
    for (const RankReport& rank : content.ranks)
        for (const CallRecord& call : rank.calls)
            result += JsonLine("call")
                          .add("rank", rank.rank)
                          .add("name", call.name)
                          .add("calls", call.calls)
                          .add("seconds", call.seconds)
                          .end();
    for (const Advice& advice : content.advice) {
        JsonLine line("advice");
        line.add("kind", advice.kind).add("plan", advice.plan);
        line.add("sentence", advice.sentence);
        if (advice.share) line.add("share", *advice.share);
        result += line.end();
    }
    return result;
}

/// Replaces the file, or appends to it if this process has written it before; false on failure.
/// Locks, because other threads may close communicators with a report to the same file.
bool append(const std::string& file, const std::string& content) {
    static std::mutex mutex;
    static std::set<std::string>& written = *new std::set<std::string>; // MPI may end after statics
    const std::lock_guard lock(mutex);
    std::ofstream out(file, written.insert(file).second ? std::ios::trunc : std::ios::app);
    out << content << std::flush;
    return static_cast<bool>(out);
}

} // namespace

void write_report(const std::string& file, std::span<const RankReport> ranks) {
    const std::vector<PlanSummary> plans = summaries_of(ranks);
    if (plans.empty()) return; // a communicator without plans
    const std::vector<Advice> advice = advise(ranks, plans);
    const ReportContent content{ranks, plans, advice};
    const std::string written =
        file.ends_with(".json") ? report_json(content) : TextReport(content).write();
    if (!append(file, written))
        report(Severity::warning, text("distview: the report cannot be written to '", file, "'"));
}

} // namespace distview::impl
