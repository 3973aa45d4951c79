// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report_text.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <string_view>

namespace distview::impl {

namespace {

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
    std::string result = JsonLine("plan")
                             .add("plan", plan.label)
                             .add("geometry", plan.geometry)
                             .add("plans", plan.plans)
                             .add("executions", plan.executions)
                             .add("binds", plan.binds)
                             .add("binding_seconds", plan.binding)
                             .add("median_seconds", slowest.median)
                             .add("percentile99_seconds", slowest.percentile99)
                             .add("slowest_rank", slowest.rank)
                             .add("copying_seconds", mean.copying)
                             .add("waiting_seconds", mean.waiting)
                             .add("packing_seconds", mean.packing)
                             .add("step_seconds", mean.step)
                             .add("total_seconds", mean.total)
                             .add("total_waiting_seconds", mean.total_waiting)
                             .add("total_packing_seconds", mean.total_packing)
                             .add("bandwidth_share", plan.bandwidth_share)
                             .end();
    for (const TransportTotal& total : plan.transports)
        result += JsonLine("transport")
                      .add("plan", plan.label)
                      .add("transport", total.transport)
                      .add("bytes", total.bytes)
                      .add("messages", total.messages)
                      .end();
    const auto add_reasons = [&](const Reason& reason, std::string_view why) {
        for (const auto& [reader, owner] : reason.pairs)
            result += JsonLine("reason")
                          .add("plan", plan.label)
                          .add("reader", reader)
                          .add("owner", owner)
                          .add("why", why)
                          .end();
    };
    for (const Reason& reason : plan.reasons) add_reasons(reason, reason.why);
    add_reasons(plan.packed, "borrowed memory, packed by its owner");
    for (const RankTimes& times : plan.ranks)
        result += JsonLine("rank")
                      .add("plan", plan.label)
                      .add("rank", times.rank)
                      .add("median_seconds", times.median)
                      .add("percentile99_seconds", times.percentile99)
                      .add("copying_seconds", times.copying)
                      .add("waiting_seconds", times.waiting)
                      .add("packing_seconds", times.packing)
                      .add("work_seconds", times.work)
                      .add("late_seconds", times.late)
                      .end();
    return result;
}

} // namespace

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

} // namespace distview::impl
