// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <utility>

namespace distview::impl {

/// The engine that a plan holds. A plan that has been moved from has none: any use of it is an error.
template <class Engine>
class PlanEngine {
public:
    /// `plan` begins the text of errors.
    PlanEngine(const char* plan, std::shared_ptr<Engine> engine) noexcept
        : m_plan(plan), m_engine(std::move(engine)) {}

    const std::shared_ptr<Engine>& shared() const {
        require<UsageError>(m_engine != nullptr, [&] {
            return text(m_plan,
                        ": this plan has been moved from; use the plan that it was moved to");
        });
        return m_engine;
    }
    Engine& operator*() const { return *shared(); }
    Engine* operator->() const { return shared().get(); }

private:
    const char* m_plan;
    std::shared_ptr<Engine> m_engine;
};

/// An exchange that has begun: ended by end(), else abandoned.
template <class Engine>
class InFlight {
public:
    explicit InFlight(std::shared_ptr<Engine> engine) noexcept : m_engine(std::move(engine)) {}
    ~InFlight() {
        if (m_engine) m_engine->abandon();
    }
    InFlight(InFlight&&) noexcept = default;
    InFlight& operator=(InFlight&& other) noexcept {
        InFlight taken(std::move(other));
        std::swap(m_engine, taken.m_engine);
        std::swap(m_has_ended, taken.m_has_ended);
        return *this;
    }

    /// Throws UsageError, naming `caller`, once the exchange has ended, or the handle has been moved from.
    Engine& engine(const char* caller) const {
        require<UsageError>(m_engine != nullptr, [&] {
            return text(caller, m_has_ended
                                    ? ": called twice"
                                    : ": this handle has been moved from; use the handle that "
                                      "it was moved to");
        });
        return *m_engine;
    }
    std::shared_ptr<Engine> end() noexcept {
        m_has_ended = true;
        m_engine->end();
        return std::move(m_engine);
    }

private:
    std::shared_ptr<Engine> m_engine;
    bool m_has_ended = false;
};

} // namespace distview::impl
