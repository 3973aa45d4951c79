// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report_log.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace distview::impl {

namespace {

/// Limits: a program that makes plans again and again must not run out of memory for records.
constexpr std::size_t most_plans = 128;
constexpr std::size_t most_calls = 64;

} // namespace

std::string ReportLog::file_from_environment() {
    const char* const value = std::getenv("DISTVIEW_REPORT");
    if (value == nullptr) return {};
    const std::string_view given = value;
    if (given.empty() || given == "0") return {};
    return given == "1" ? std::string("distview-report.txt") : std::string(given);
}

std::shared_ptr<PlanRecord> ReportLog::record_of(std::string_view plan, std::uint64_t number,
                                                 std::uint64_t key, const std::string& geometry) {
    const auto found = std::find_if(m_plans.begin(), m_plans.end(), [&](const auto& record) {
        return record->key == key && record->plan == plan;
    });
    if (found != m_plans.end()) return *found;
    if (m_plans.size() > most_plans) return m_plans.back();
    const bool is_last = m_plans.size() == most_plans;
    m_plans.push_back(std::make_shared<PlanRecord>());
    PlanRecord& record = *m_plans.back();
    record.plan = is_last ? "other plans" : plan;
    record.first = number;
    record.key = is_last ? 0 : key;
    record.geometry = is_last ? "all plans created after these" : geometry;
    return m_plans.back();
}

void ReportLog::enter_call(std::string_view name) noexcept {
    m_inside->enter();
    if (m_inside->depth > 1) return;
    const auto found = std::find_if(m_calls.begin(), m_calls.end(),
                                    [&](const CallRecord& call) { return call.name == name; });
    m_call = static_cast<std::size_t>(found - m_calls.begin());
    try {
        if (found == m_calls.end() && m_calls.size() < most_calls)
            m_calls.push_back({.name = std::string(name)});
    } catch (const std::bad_alloc&) {
        m_call = most_calls; // not in any report
    }
    m_began = Clock::now();
}

void ReportLog::leave_call() noexcept {
    if (m_inside->depth == 0) return; // the report began within the call
    const double seconds = std::chrono::duration<double>(Clock::now() - m_began).count();
    m_inside->leave(seconds);
    if (m_inside->depth > 0 || m_call >= m_calls.size()) return;
    ++m_calls[m_call].calls;
    m_calls[m_call].seconds += seconds;
}

} // namespace distview::impl
