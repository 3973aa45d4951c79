// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <utility>

namespace distview::impl {

/// The core that a plan holds. A plan that has been moved from has none: any use of it is an error.
template <class Core>
class CoreHolder {
public:
    /// `plan` begins the text of errors.
    CoreHolder(const char* plan, std::shared_ptr<Core> core) noexcept
        : m_plan(plan), m_core(std::move(core)) {}

    const std::shared_ptr<Core>& shared() const {
        require<UsageError>(m_core != nullptr, [&] {
            return text(m_plan,
                        ": this plan has been moved from; use the plan that it was moved to");
        });
        return m_core;
    }
    Core& operator*() const { return *shared(); }
    Core* operator->() const { return shared().get(); }

private:
    const char* m_plan;
    std::shared_ptr<Core> m_core;
};

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
        std::swap(m_has_ended, taken.m_has_ended);
        return *this;
    }

    /// Throws UsageError, naming `caller`, once the execution has ended, or the handle has been moved from.
    PlanCore& core(const char* caller) const {
        require<UsageError>(m_core != nullptr, [&] {
            return text(caller, m_has_ended
                                    ? ": called twice"
                                    : ": this handle has been moved from; use the handle that "
                                      "it was moved to");
        });
        return *m_core;
    }
    std::shared_ptr<PlanCore> end() noexcept {
        m_has_ended = true;
        m_core->end();
        return std::move(m_core);
    }

private:
    std::shared_ptr<PlanCore> m_core;
    bool m_has_ended = false;
};

} // namespace distview::impl
