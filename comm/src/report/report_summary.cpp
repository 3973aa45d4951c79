// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>

namespace distview::impl {

namespace {

/// The value that `share` of the values do not exceed; 0 without values.
double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto last = static_cast<double>(values.size() - 1);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::ceil(share * last));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::string formatted(const char* format, double value) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, value);
    return buffer.data();
}

/// Plans with their records, in the order of the first rank that has one.
std::vector<PlanSummary> plans_of(std::span<const RankReport> ranks) {
    std::vector<PlanSummary> plans;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        for (const PlanRecord& record : ranks[r].plans) {
            std::string label = text(record.plan, " #", record.first);
            auto plan = std::find_if(plans.begin(), plans.end(), [&](const PlanSummary& other) {
                return other.label == label;
            });
            if (plan == plans.end()) {
                plan = plans.emplace(plan);
                plan->label = std::move(label);
                plan->geometry = record.geometry;
                plan->records.resize(ranks.size());
            }
            plan->records[r] = &record;
        }
    return plans;
}

RankTimes times_of(const RankReport& rank, const PlanRecord& record) {
    RankTimes times;
    times.rank = rank.rank;
    std::vector<double> seconds, copying, waiting, packing, steps, work;
    const std::vector<TimeSample>& samples = record.samples.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        seconds.push_back(samples[i].seconds);
        waiting.push_back(samples[i].waiting);
        packing.push_back(samples[i].packing);
        copying.push_back(
            std::max(0.0, samples[i].seconds - samples[i].waiting - samples[i].packing));
        if (i + 1 == samples.size()) continue;
        const auto executions = static_cast<double>(samples[i + 1].number - samples[i].number);
        const double step =
            1e-9 * static_cast<double>(samples[i + 1].began - samples[i].began) / executions;
        const double inside = (samples[i + 1].inside - samples[i].inside) / executions;
        steps.push_back(step);
        work.push_back(std::max(0.0, step - inside));
    }
    times.median = median(seconds);
    times.percentile99 = quantile(seconds, 0.99);
    times.copying = median(copying);
    times.waiting = median(waiting);
    times.packing = median(packing);
    times.step = median(steps);
    times.work = median(work);
    times.total = record.seconds;
    times.total_waiting = record.waiting;
    times.total_packing = record.packing;
    return times;
}

/// Compares clocks within a node only.
void set_lateness(std::span<const RankReport> ranks, PlanSummary& plan) {
    struct Began {
        std::int64_t first;
        std::int64_t last;
    };
    std::map<std::pair<int, std::int64_t>, Began> began; // by node and execution
    for (const RankTimes& times : plan.ranks) {
        const auto r = static_cast<std::size_t>(times.rank);
        for (const TimeSample& sample : plan.records[r]->samples.samples) {
            const Began only{sample.began, sample.began};
            Began& here =
                began.emplace(std::pair{ranks[r].node, sample.number}, only).first->second;
            here.first = std::min(here.first, sample.began);
            here.last = std::max(here.last, sample.began);
        }
    }
    for (RankTimes& times : plan.ranks) {
        const auto r = static_cast<std::size_t>(times.rank);
        std::vector<double> late, waiting;
        for (const TimeSample& sample : plan.records[r]->samples.samples) {
            const Began& here = began.at({ranks[r].node, sample.number});
            late.push_back(1e-9 * static_cast<double>(sample.began - here.first));
            waiting.push_back(
                std::min(sample.waiting, 1e-9 * static_cast<double>(here.last - sample.began)));
        }
        times.late = median(std::move(late));
        times.waiting_for_late = median(std::move(waiting));
    }
}

RankPairs& pairs_of(std::vector<Reason>& reasons, const std::string& why) {
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const Reason& reason) { return reason.why == why; });
    if (found == reasons.end()) found = reasons.insert(found, Reason{why, {}});
    return found->pairs;
}

/// Returns the added bytes.
std::int64_t add_traffic(const RankReport& rank, const SetRecord& set, PlanSummary& plan) {
    std::int64_t bytes = 0;
    for (const Traffic& traffic : set.traffic) {
        const std::pair pair{rank.rank, traffic.partner};
        if (!traffic.why_not.empty()) pairs_of(plan.reasons, traffic.why_not).insert(pair);
        if (traffic.is_packed) plan.packed.insert(pair);
        // Receivers count messages; a rank that writes in place counts the bytes it writes.
        if (traffic.is_sent && traffic.messages > 0) continue;
        auto total = std::find_if(
            plan.transports.begin(), plan.transports.end(),
            [&](const TransportTotal& other) { return other.transport == traffic.transport; });
        if (total == plan.transports.end())
            total = plan.transports.insert(total, {traffic.transport, 0, 0});
        total->bytes += traffic.bytes * set.executions;
        total->messages += traffic.messages * set.executions;
        bytes += traffic.bytes * set.executions;
    }
    return bytes;
}

} // namespace

RankTimes PlanSummary::slowest() const {
    const auto found =
        std::max_element(ranks.begin(), ranks.end(), [](const RankTimes& a, const RankTimes& b) {
            return a.median < b.median;
        });
    return found == ranks.end() ? RankTimes{} : *found;
}

RankTimes PlanSummary::mean() const {
    RankTimes result;
    const auto count = static_cast<double>(std::max<std::size_t>(ranks.size(), 1));
    for (const NamedTime& time : named_times) {
        double sum = 0;
        for (const RankTimes& times : ranks) sum += times.*time.member;
        result.*time.member = sum / count;
    }
    return result;
}

std::vector<PlanSummary> summaries_of(std::span<const RankReport> ranks) {
    std::vector<PlanSummary> plans = plans_of(ranks);
    for (PlanSummary& plan : plans) {
        double moved = 0;
        double could_move = 0;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            const RankReport& rank = ranks[r];
            const PlanRecord* const record = plan.records[r];
            if (!record) continue;
            plan.plans = std::max(plan.plans, record->plans);
            plan.executions = std::max(plan.executions, record->executions);
            plan.binding = std::max(plan.binding, record->binding);
            std::int64_t binds = 0;
            std::int64_t bytes = 0;
            for (const SetRecord& set : record->sets) {
                binds += set.binds;
                bytes += add_traffic(rank, set, plan);
            }
            plan.binds = std::max(plan.binds, binds);
            if (record->timed == 0) continue;
            plan.ranks.push_back(times_of(rank, *record));
            moved += static_cast<double>(bytes) / static_cast<double>(record->executions);
            could_move +=
                (plan.ranks.back().copying + plan.ranks.back().packing) * rank.copy_bandwidth;
        }
        if (could_move > 0) plan.bandwidth_share = moved / could_move;
        set_lateness(ranks, plan);
    }
    return plans;
}

std::string duration_text(double seconds) {
    if (seconds < 1e-6) return formatted("%.0f ns", seconds * 1e9);
    if (seconds < 1e-3) return formatted("%.3g us", seconds * 1e6);
    if (seconds < 1) return formatted("%.3g ms", seconds * 1e3);
    return formatted("%.3g s", seconds);
}

std::string bytes_text(std::int64_t bytes) {
    if (bytes < 10000) return text(bytes, " bytes");
    const auto value = static_cast<double>(bytes);
    if (value < 1e6) return formatted("%.3g kB", value * 1e-3);
    if (value < 1e9) return formatted("%.3g MB", value * 1e-6);
    return formatted("%.4g GB", value * 1e-9);
}

std::string share_text(double share) { return formatted("%.2g", share); }

std::string pairs_text(const RankPairs& pairs) {
    constexpr std::size_t most_told = 3;
    std::string result;
    std::size_t told = 0;
    for (auto pair = pairs.begin(); pair != pairs.end() && told < most_told; ++pair)
        result += text(told++ == 0 ? "" : ", ", "rank ", pair->first, " from rank ", pair->second);
    if (pairs.size() > most_told) result += text(" and ", pairs.size() - most_told, " more");
    return result;
}

} // namespace distview::impl
