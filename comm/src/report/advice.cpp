// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace distview::impl {

namespace {

/// Predicted shares of time above this are no advice: the gain is within the error of predictions.
constexpr double worth_share = 0.85;
/// Runs that waste most of a cache line.
constexpr std::int64_t short_run_bytes = 32;
/// An exchange of fewer bytes ends before bandwidth counts.
constexpr std::int64_t few_bytes = 4096;
/// From this share of a copy's bandwidth on, the length of runs does not matter.
constexpr double much_bandwidth = 0.9;

/// Advice about one plan.
class PlanAdvice {
public:
    PlanAdvice(std::span<const RankReport> ranks, const PlanSummary& plan,
               std::vector<Advice>& advice)
        : m_ranks(ranks), m_plan(plan), m_record(first_record(plan)), m_mean(plan.mean()),
          m_advice(advice) {}

    void give() {
        if (m_plan.executions > 0) {
            about_grid();
            about_depth();
            about_unwritten();
            about_borrowed();
            about_short_runs();
            about_messages();
            about_binding();
        }
        about_many_plans();
        about_imbalance();
    }

private:
    void add(const char* kind, const std::string& sentence, std::optional<double> share = {}) {
        m_advice.push_back({kind, m_plan.label, text(m_plan.label, ": ", sentence), share});
    }

    /// Predicted share of an execution's time if copying and packing need the share `of_copying`. Waiting for
    /// late ranks stays as it is. The rest of the waiting is copying and packing by others, and shrinks as well;
    /// it counts for no more than copying and packing themselves, because lateness between nodes is not known.
    double share_with(double of_copying) const {
        const double own = m_mean.copying + m_mean.packing;
        const double all = own + m_mean.waiting;
        if (all <= 0) return 1;
        const double late = std::max(m_mean.waiting_for_late, m_mean.waiting - own);
        return (late + (all - late) * of_copying) / all;
    }

    /// Waiting times differ from run to run, so gains are predicted only if most of an
    /// execution is not waiting.
    bool mostly_waits() const { return m_mean.waiting > m_mean.copying + m_mean.packing; }

    struct Gain {
        std::string words;
        std::optional<double> share;
    };
    Gain gain_of(double share) const {
        return {text("would take about ", share_text(share), " of the time"), share};
    }
    Gain gain_of_copying(double share) const {
        if (!mostly_waits()) return gain_of(share_with(share));
        return {text("would take about ", share_text(share),
                     " of the time to copy (most of an execution is waiting)"),
                {}};
    }

    /// The mean over ranks of a shape's copy times: ranks measured them together, as they copy together.
    double seconds_of(const ExchangeShape& shape) const {
        double sum = 0;
        int count = 0;
        for (const PlanRecord* const record : m_plan.records) {
            if (!record) continue;
            for (const ExchangeShape& other : record->shapes) {
                if (other.kind != shape.kind || other.what != shape.what || other.seconds <= 0)
                    continue;
                sum += other.seconds;
                ++count;
            }
        }
        return count == 0 ? 0 : sum / count;
    }
    static const PlanRecord& first_record(const PlanSummary& plan) {
        return **std::find_if(plan.records.begin(), plan.records.end(),
                              [](const PlanRecord* record) { return record != nullptr; });
    }
    /// Copy time of another shape as a share of the present one; nullopt if they could not be measured.
    std::optional<double> copies_of(const ExchangeShape& shape) const {
        const double now = seconds_of(m_record.shapes.front());
        const double then = seconds_of(shape);
        if (now <= 0 || then <= 0) return {};
        return then / now;
    }

    void about_grid() {
        const ExchangeShape* best = nullptr;
        double copies = worth_share;
        for (const ExchangeShape& shape : m_record.shapes) {
            if (shape.kind != ExchangeShape::Kind::process_grid) continue;
            const std::optional<double> share = copies_of(shape);
            if (!share || *share >= copies) continue;
            best = &shape;
            copies = *share;
        }
        if (!best) return;
        const ExchangeShape& now = m_record.shapes.front();
        const Gain gain = gain_of_copying(copies);
        if (gain.share.value_or(0) >= worth_share) return;
        add("process_grid",
            text("process grid ", best->what, " instead of ", now.what, ' ', gain.words, ": ",
                 bytes_text(best->bytes()), " in runs of ", bytes_text(best->run_bytes()),
                 " instead of ", bytes_text(now.bytes()), " in runs of ",
                 bytes_text(now.run_bytes())),
            gain.share);
    }

    void about_depth() {
        int filled = 0;
        int asked = 0;
        std::int64_t calls = 0;
        for (const PlanRecord* const record : m_plan.records) {
            if (!record) continue;
            filled = std::max(filled, record->filled_depth);
            asked = std::max(asked, record->asked_depth);
            calls = std::max(calls, record->require_calls);
        }
        if (calls == 0 || asked >= filled || asked == 0) return;
        // If one exchange serves the calls of several steps, each of these uses up some of the depth: no advice.
        if (4 * m_plan.executions < 3 * calls) return;
        std::string sentence =
            text("padding is filled ", filled, " deep, but require() requested at most ", asked,
                 " (", calls, " calls)");
        // The sentence gives bytes, not times: with few bytes, copying is a small part of an exchange.
        for (const ExchangeShape& shape : m_record.shapes)
            if (shape.kind == ExchangeShape::Kind::depth && shape.what == text(asked))
                sentence += text(": ", asked, " deep would move ", bytes_text(shape.bytes()),
                                 " instead of ", bytes_text(m_record.shapes.front().bytes()));
        add("depth", sentence);
    }

    /// Reports arrays whose padding never changed, on every rank whose padding comes from other ranks.
    void about_unwritten() {
        struct Look {
            std::int64_t looks = 0;
            std::int64_t unchanged = 0;
        };
        for (std::size_t s = 0; s < m_record.sets.size(); ++s) {
            const SetRecord& first = m_record.sets[s];
            // Ranks distinguish sets by their own traffic, so some may number the sets differently.
            if (std::any_of(m_plan.records.begin(), m_plan.records.end(), [&](const auto* record) {
                    return record &&
                           (s >= record->sets.size() || record->sets[s].binds != first.binds ||
                            record->sets[s].executions != first.executions);
                }))
                continue;
            const auto arrays = static_cast<std::size_t>(first.arrays);
            std::vector<Look> found(arrays);
            for (const PlanRecord* const record : m_plan.records) {
                if (!record) continue;
                const SetRecord& set = record->sets[s];
                for (std::size_t i = 0; i < arrays && i < set.looks.size(); ++i) {
                    found[i].looks += set.looks[i];
                    found[i].unchanged += set.unchanged[i];
                }
            }
            std::vector<std::size_t> unwritten;
            for (std::size_t i = 0; i < arrays; ++i)
                if (found[i].looks > 1 && found[i].unchanged == found[i].looks)
                    unwritten.push_back(i);
            if (unwritten.empty()) continue;
            const double kept =
                1 - static_cast<double>(unwritten.size()) / static_cast<double>(arrays);
            const Gain gain = kept > 0 ? gain_of_copying(kept) : Gain{{}, 0};
            std::string which;
            for (const std::size_t i : unwritten) which += text(which.empty() ? "" : ", ", i);
            std::string sentence =
                text("array ", which, " of ", arrays, " was exchanged ", first.executions,
                     " times without being written in between: its padding already had the "
                     "same values in all ",
                     found[unwritten.front()].looks, " samples. ");
            sentence += kept > 0 ? text("Without this, an execution ", gain.words)
                                 : std::string("None of these executions is needed");
            add("unwritten", sentence, gain.share);
        }
    }

    void about_borrowed() {
        if (m_plan.packed.empty()) return;
        const bool is_lacking =
            std::any_of(m_ranks.begin(), m_ranks.end(),
                        [](const RankReport& rank) { return rank.lacked_shared_memory; });
        const double all = m_mean.copying + m_mean.packing + m_mean.waiting;
        const Gain gain = mostly_waits()
                              ? Gain{text("would save ", duration_text(m_mean.packing), " of ",
                                          duration_text(all), " (most of an execution is waiting)"),
                                     {}}
                              : gain_of(all > 0 ? 1 - m_mean.packing / all : 1);
        add("borrowed",
            text("owners pack arrays that other ranks cannot read in place (",
                 pairs_text(m_plan.packed), ')',
                 is_lacking ? ", since shared memory (/dev/shm) is too small for them" : "",
                 ": with arrays of make_dist_view()", is_lacking ? " in shared memory" : "",
                 ", an execution ", gain.words),
            gain.share);
    }

    void about_short_runs() {
        if (m_record.shapes.empty()) return;
        std::int64_t bytes = 0;
        std::int64_t runs = 0;
        for (const RunNest& nest : m_record.shapes.front().nests) {
            if (nest.run_bytes > short_run_bytes) continue;
            bytes += nest.bytes();
            runs += nest.runs();
        }
        const std::int64_t all = m_record.shapes.front().bytes();
        // For few bytes the time is latency, whatever their runs.
        if (2 * bytes <= all || all < few_bytes || m_plan.bandwidth_share <= 0 ||
            m_plan.bandwidth_share > much_bandwidth)
            return;
        add("short_runs", text("moves ", bytes_text(bytes), " of ", bytes_text(all), " in runs of ",
                               bytes_text(bytes / runs), " at ", share_text(m_plan.bandwidth_share),
                               " of a copy's bandwidth: distribute another axis than the fastest "
                               "one, or use longer blocks along it"));
    }

    void about_messages() {
        for (const Reason& reason : m_plan.reasons) {
            const auto [reader, owner] = *reason.pairs.begin();
            const RankReport& rank = m_ranks[static_cast<std::size_t>(reader)];
            const RankReport& other = m_ranks[static_cast<std::size_t>(owner)];
            if (rank.node != other.node || other.rank < 0) continue;
            add("messages", text("elements go in messages within a node (",
                                 pairs_text(reason.pairs), "): ", reason.why));
        }
        for (const TransportTotal& total : m_plan.transports)
            if (total.transport == "staged")
                add("staging", text(bytes_text(total.bytes),
                                    " are staged in host memory: an MPI that accepts device memory "
                                    "(DISTVIEW_GPU_AWARE) avoids this"));
    }

    void about_binding() {
        if (m_plan.binds <= 2 || 4 * m_plan.binds <= m_plan.executions) return;
        const double others = m_mean.copying + m_mean.packing + m_mean.waiting;
        const double all = m_plan.binding + others * static_cast<double>(m_plan.executions);
        std::string sentence =
            text("arrays were bound ", m_plan.binds, " times in ", m_plan.executions,
                 " executions, which took ", duration_text(m_plan.binding),
                 ": create arrays and plans once and reuse them");
        std::optional<double> share;
        if (others > 0 && all > 0) {
            share = others * static_cast<double>(m_plan.executions) / all;
            sentence += text("; this would take about ", share_text(*share), " of the time");
        }
        add("binding", sentence, share);
    }

    void about_many_plans() {
        if (m_plan.plans <= 3 || m_plan.executions > 10 * m_plan.plans) return;
        add("many_plans", text(m_plan.plans, " plans were created for one geometry, for ",
                               m_plan.executions, " executions: keep one and reuse it"));
    }

    /// Predicts the time of a step if all ranks have the same work.
    void about_imbalance() {
        if (m_plan.ranks.size() < 2) return;
        for (const RankReport& rank : m_ranks)
            if (rank.processors > 0 && rank.ranks_of_node > rank.processors) return;
        const auto longest = std::max_element(
            m_plan.ranks.begin(), m_plan.ranks.end(),
            [](const RankTimes& a, const RankTimes& b) { return a.work < b.work; });
        if (m_mean.step <= 0 || m_mean.work <= 0) return;
        const double share = 1 - (longest->work - m_mean.work) / m_mean.step;
        // If not late, the other ranks do not wait for this rank.
        const bool is_late = 2 * longest->late >= longest->work - m_mean.work;
        if (share > worth_share || !is_late) return;
        add("imbalance",
            text("rank ", longest->rank, " works ", duration_text(longest->work),
                 " from one execution to the next, the mean is ", duration_text(m_mean.work),
                 "; it begins ", duration_text(longest->late),
                 " after the first rank. With evenly shared work, a step would take about ",
                 share_text(share), " of the time"),
            share);
    }

    std::span<const RankReport> m_ranks;
    const PlanSummary& m_plan;
    const PlanRecord& m_record; ///< record of the first rank that has one
    RankTimes m_mean;
    std::vector<Advice>& m_advice;
};

void about_processors(std::span<const RankReport> ranks, std::vector<Advice>& advice) {
    for (const RankReport& rank : ranks) {
        if (rank.processors == 0 || rank.ranks_of_node <= rank.processors || rank.rank != rank.node)
            continue;
        advice.push_back(
            {"oversubscription",
             {},
             text(rank.ranks_of_node, " ranks share ", rank.processors,
                  " processors of the node of rank ", rank.rank,
                  ": ranks wait for a free processor, and all times here include this wait"),
             {}});
    }
}

/// The plan whose executions count as the program's steps: the one that is executed most.
const PlanSummary* step_plan(std::span<const PlanSummary> plans) {
    const PlanSummary* result = nullptr;
    for (const PlanSummary& plan : plans)
        if (!plan.ranks.empty() && (!result || plan.executions > result->executions))
            result = &plan;
    return result;
}

/// A mean, because only the mean is known for calls: a median would not be comparable.
double mean_step(const PlanSummary& plan) {
    double sum = 0;
    int count = 0;
    for (const PlanRecord* const record : plan.records) {
        if (!record || record->samples.samples.size() < 2) continue;
        const TimeSample& first = record->samples.samples.front();
        const TimeSample& last = record->samples.samples.back();
        sum += 1e-9 * static_cast<double>(last.began - first.began) /
               static_cast<double>(last.number - first.number);
        ++count;
    }
    return count == 0 ? 0 : sum / count;
}

/// Reports collective calls that run in nearly every step and take much of it.
void about_calls(std::span<const RankReport> ranks, std::span<const PlanSummary> plans,
                 std::vector<Advice>& advice) {
    constexpr std::int64_t few = 5;
    constexpr double much = 0.15;
    const PlanSummary* const plan = step_plan(plans);
    if (!plan) return;
    const double step = mean_step(*plan);
    for (const RankReport& first : ranks) {
        if (first.rank < 0) continue;
        for (const CallRecord& call : first.calls) {
            // Time of the rank on which the call takes longest: the others would wait for this rank later.
            double seconds = 0;
            for (const RankReport& rank : ranks)
                for (const CallRecord& other : rank.calls)
                    if (other.name == call.name) seconds = std::max(seconds, other.seconds);
            seconds /= static_cast<double>(std::max<std::int64_t>(call.calls, 1));
            const double per_step =
                static_cast<double>(call.calls) / static_cast<double>(plan->executions);
            const double share = 1 - seconds * per_step / step;
            if (call.calls <= few || 4 * call.calls < plan->executions || step <= 0 ||
                1 - share < much || share < 0)
                continue;
            advice.push_back(
                {"call", plan->label,
                 text(call.name, " is called ", call.calls, " times in ", plan->executions,
                      " executions of ", plan->label, ", ", duration_text(seconds),
                      " each time: without it a step would take about ", share_text(share),
                      " of the time"),
                 share});
        }
        return; // all ranks make the same calls
    }
}

} // namespace

std::vector<Advice> advise(std::span<const RankReport> ranks, std::span<const PlanSummary> plans) {
    std::vector<Advice> advice;
    for (const PlanSummary& plan : plans) PlanAdvice(ranks, plan, advice).give();
    about_calls(ranks, plans, advice);
    about_processors(ranks, advice);
    return advice;
}

} // namespace distview::impl
