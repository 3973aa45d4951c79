// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <utility>

namespace distview::impl {

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
        return *this;
    }

    /// Throws UsageError, naming `caller`, once the exchange has ended.
    Engine& engine(const char* caller) const {
        require<UsageError>(m_engine != nullptr, [&] { return text(caller, ": called twice"); });
        return *m_engine;
    }
    std::shared_ptr<Engine> end() noexcept {
        m_engine->end();
        return std::move(m_engine);
    }

private:
    std::shared_ptr<Engine> m_engine;
};

} // namespace distview::impl
