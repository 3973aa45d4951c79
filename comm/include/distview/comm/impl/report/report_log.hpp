// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::impl {

/// Records of a communicator's plans and calls on this rank, for the report written at its close. Local.
class ReportLog {
public:
    using Clock = std::chrono::steady_clock;

    /// The file in DISTVIEW_REPORT; empty if no report is wanted.
    static std::string file_from_environment();

    explicit ReportLog(std::string file) : m_file(std::move(file)) {}
    const std::string& file() const noexcept { return m_file; }
    void set_file(const std::string& file) { m_file = file; }

    /// The record of plans of that geometry. Beyond the limit of records, all further plans share one.
    std::shared_ptr<PlanRecord> record_of(std::string_view plan, std::uint64_t number,
                                          std::uint64_t key, const std::string& geometry);

    /// Begin and end of a program's collective call; calls within it are parts of it.
    void enter_call(std::string_view name) noexcept;
    void leave_call() noexcept;

    const std::shared_ptr<TimeInside>& time_inside() const noexcept { return m_inside; }
    const std::vector<std::shared_ptr<PlanRecord>>& plans() const noexcept { return m_plans; }
    const std::vector<CallRecord>& calls() const noexcept { return m_calls; }

private:
    std::string m_file;
    std::vector<std::shared_ptr<PlanRecord>> m_plans;
    std::vector<CallRecord> m_calls;
    std::shared_ptr<TimeInside> m_inside = std::make_shared<TimeInside>();
    std::size_t m_call = 0;
    Clock::time_point m_began{};
};

} // namespace distview::impl
