// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <utility>

namespace distview::impl {

/// An execution that has begun: ended by end(), else abandoned.
class PlanInFlight {
public:
    PlanInFlight() noexcept = default;
    explicit PlanInFlight(std::shared_ptr<PlanCore> core) noexcept : m_core(std::move(core)) {}
    ~PlanInFlight() {
        if (m_core) m_core->abandon();
    }
    PlanInFlight(PlanInFlight&&) noexcept = default;
    PlanInFlight& operator=(PlanInFlight&& other) noexcept {
        PlanInFlight taken(std::move(other));
        std::swap(m_core, taken.m_core);
        std::swap(m_state, taken.m_state);
        return *this;
    }

    /// Throws UsageError, naming `caller`, once the execution has ended, or the handle has been moved from.
    PlanCore& core(const char* caller) const {
        require<UsageError>(m_core != nullptr, [&] {
            switch (m_state) {
            case State::ended: return text(caller, ": called twice");
            case State::failed: return text(caller, ": the execution has failed before");
            case State::under_way: break;
            }
            return text(caller,
                        ": this handle has been moved from; use the handle that it was moved to");
        });
        return *m_core;
    }
    std::shared_ptr<PlanCore> end() noexcept {
        m_state = State::ended;
        m_core->end();
        return std::move(m_core);
    }

    /// Abandons the execution when this object is destroyed, unless it has ended or done() was called: others learn at
    /// once of an exception, however long the handle lives.
    class AbandonUnlessDone {
    public:
        explicit AbandonUnlessDone(PlanInFlight& execution) noexcept : m_execution(&execution) {}
        AbandonUnlessDone(const AbandonUnlessDone&) = delete;
        AbandonUnlessDone& operator=(const AbandonUnlessDone&) = delete;
        ~AbandonUnlessDone() {
            if (m_execution) m_execution->fail();
        }
        /// Leaves the execution under way.
        void done() noexcept { m_execution = nullptr; }

    private:
        PlanInFlight* m_execution;
    };

private:
    void fail() noexcept {
        if (!m_core) return;
        std::exchange(m_core, nullptr)->abandon();
        m_state = State::failed;
    }

    std::shared_ptr<PlanCore> m_core;
    enum class State { under_way, ended, failed };
    State m_state = State::under_way;
};

} // namespace distview::impl
