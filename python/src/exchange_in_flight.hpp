// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace distview::python {

/// A started padding exchange, redistribution or gather. Any thread may hold it; one thread at a time uses it.
class ExchangeInFlight {
public:
    /// A plan's handle of any type. Destroying it without finish() makes its plan unusable.
    class Work {
    public:
        virtual ~Work() = default;
        virtual void finish() = 0;
    };
    /// An exchange that abandon_all_exchanges() knows. The caller holds the GIL. `work`: null if nothing is left to do.
    static std::shared_ptr<ExchangeInFlight> begin(std::unique_ptr<Work> work);
    explicit ExchangeInFlight(std::unique_ptr<Work> work) : m_work(std::move(work)) {}

    bool is_in_flight() const noexcept { return m_state == State::in_flight; }
    /// Collective. UsageError if it has been finished or abandoned; an error abandons it.
    void finish();
    /// Ends the exchange without waiting.
    void abandon() noexcept;

private:
    enum class State { in_flight, finished, abandoned };
    std::unique_ptr<Work> m_work;
    State m_state = State::in_flight;
};

/// Called before Kokkos is stopped: handles must not outlive Kokkos.
void abandon_all_exchanges() noexcept;

/// Work of a plan's handle, on an execution space. Keeps alive what it uses: the arrays, and `memory`.
template <class Handle>
class HandleOf final : public ExchangeInFlight::Work {
public:
    HandleOf(Handle handle, std::vector<AnyDistView> views, std::shared_ptr<const void> memory)
        : m_views(std::move(views)), m_memory(std::move(memory)), m_handle(std::move(handle)) {}
    void finish() override { m_handle.finish(); }

private:
    std::vector<AnyDistView> m_views;
    std::shared_ptr<const void> m_memory;
    Handle m_handle;
};

template <class Handle>
std::unique_ptr<ExchangeInFlight::Work> work_of(Handle handle, std::vector<AnyDistView> views,
                                                std::shared_ptr<const void> memory = {}) {
    return std::make_unique<HandleOf<Handle>>(std::move(handle), std::move(views),
                                              std::move(memory));
}

} // namespace distview::python
