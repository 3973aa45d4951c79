// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/padding_exchange_engine.hpp>
#include <distview/core/concepts.hpp>

#include <memory>
#include <utility>

namespace distview {

/// A padding exchange in flight; made by PaddingExchangePlan::start().
///
/// Until finish() returns, the fields' owned elements near the section's border must not be written
/// and their padding must be neither read nor written.
///
/// A handle that is destroyed without finish(), as by an exception, waits for nobody: the padding
/// stays unfilled and the plan cannot be used again. Ranks that finished theirs learn of it with the
/// next set of arrays that is new to the plan, not with a known one. When the communicator is
/// closed, or MPI ends, neighbours that have started the exchange get up to 2 seconds to complete
/// their part.
template <ExecutionSpace Exec>
class [[nodiscard]] ExchangeHandle {
public:
    ExchangeHandle(std::shared_ptr<impl::PaddingExchangeEngine> engine, const Exec& exec)
        : m_engine(std::move(engine)), m_exec(exec) {}
    ~ExchangeHandle() {
        if (m_engine) m_engine->abandon();
    }
    ExchangeHandle(ExchangeHandle&&) noexcept = default;
    ExchangeHandle& operator=(ExchangeHandle&& other) noexcept {
        std::swap(m_engine, other.m_engine);
        std::swap(m_exec, other.m_exec);
        return *this;
    }

    /// Waits for the neighbours and fills the padding.
    ///
    /// Collective: over the plan's communicator, as execute()
    /// Space:      on the instance given to start(); on return all work has finished
    /// Touches:    writes the padding that the schedule names
    /// Cost:       no allocation; one kernel for local copies and one a message
    /// Errors:     UsageError if called twice; MpiError, after which the plan is unusable
    void finish() {
        require<UsageError>(m_engine != nullptr, "ExchangeHandle::finish: called twice");
        auto& binding = m_engine->active();
        const auto& labels = m_engine->labels;
        impl::copy_boxes(m_exec, labels.copy_local, binding.local().data(), 0,
                         static_cast<int>(binding.local().size()));
        for (int i = binding.wait_for_message(); i >= 0; i = binding.wait_for_message())
            impl::copy_boxes(m_exec, labels.unpack, binding.unpack().data(),
                             binding.unpack_begin(i), binding.unpack_end(i));
        binding.wait_for_sends();
        m_exec.fence(labels.fence_unpack);
        m_engine->end();
        m_engine.reset();
    }

private:
    std::shared_ptr<impl::PaddingExchangeEngine> m_engine;
    Exec m_exec;
};

} // namespace distview
