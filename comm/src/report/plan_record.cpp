// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/plan_record.hpp>

#include <distview/comm/impl/archive.hpp>

#include <algorithm>
#include <tuple>

namespace distview::impl {

namespace {

struct RecordMembers {
    static auto of(Traffic& it) {
        return std::tie(it.partner, it.is_sent, it.transport, it.bytes, it.messages, it.is_packed,
                        it.why_not);
    }
    static auto of(RunNest::Axis& it) { return std::tie(it.count, it.stride); }
    static auto of(RunNest& it) { return std::tie(it.run_bytes, it.axes, it.is_packed); }
    static auto of(ExchangeShape& it) {
        return std::tie(it.kind, it.what, it.nests, it.section_bytes, it.seconds);
    }
    static auto of(SetRecord& it) {
        return std::tie(it.traffic, it.binds, it.executions, it.arrays, it.looks, it.unchanged);
    }
    static auto of(TimeSample& it) {
        return std::tie(it.number, it.began, it.seconds, it.waiting, it.packing, it.inside);
    }
    static auto of(PlanRecord& it) {
        return std::tie(it.plan, it.first, it.key, it.geometry, it.plans, it.sets, it.executions,
                        it.timed, it.seconds, it.waiting, it.packing, it.binding,
                        it.samples.samples, it.filled_depth, it.require_calls, it.asked_depth,
                        it.shapes);
    }
    static auto of(CallRecord& it) { return std::tie(it.name, it.calls, it.seconds); }
    static auto of(RankReport& it) {
        return std::tie(it.rank, it.node, it.ranks_of_node, it.processors, it.lacked_shared_memory,
                        it.copy_bandwidth, it.plans, it.calls);
    }
};

/// Joins partners that are reached alike; the sums of bytes and messages stay the same.
void join_partners(std::vector<Traffic>& traffic) {
    std::vector<Traffic> joined;
    const auto way_of = [](const Traffic& it) {
        return std::tie(it.is_sent, it.transport, it.is_packed, it.why_not);
    };
    for (const Traffic& each : traffic) {
        const auto alike = std::find_if(joined.begin(), joined.end(), [&](const Traffic& other) {
            return way_of(other) == way_of(each);
        });
        if (alike == joined.end()) {
            joined.push_back(each);
            continue;
        }
        alike->bytes += each.bytes;
        alike->messages += each.messages;
    }
    traffic = std::move(joined);
}

} // namespace

void TimeSamples::add(const TimeSample& sample) noexcept {
    if (sample.number % stride != 0) return;
    if (samples.size() == capacity) {
        thin();
        if (sample.number % stride != 0) return;
    }
    if (samples.size() < samples.capacity()) samples.push_back(sample);
}

void TimeSamples::thin() noexcept {
    stride *= 2;
    std::erase_if(samples, [this](const TimeSample& old) { return old.number % stride != 0; });
}

std::string packed(const RankReport& report) { return packed<RecordMembers>(report); }

std::string packed(RankReport report, std::size_t most) {
    constexpr std::size_t few_samples = 32;
    std::string bytes = packed(report);
    for (std::size_t kept = TimeSamples::capacity / 2; bytes.size() > most && kept > 0; kept /= 2) {
        for (PlanRecord& plan : report.plans) {
            plan.samples.thin();
            for (SetRecord& set : plan.sets)
                if (kept < few_samples) join_partners(set.traffic);
        }
        bytes = packed(report);
    }
    return bytes.size() > most ? std::string() : bytes;
}

RankReport unpacked(std::string_view bytes) { return unpacked<RecordMembers, RankReport>(bytes); }

} // namespace distview::impl
