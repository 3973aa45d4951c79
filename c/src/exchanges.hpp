// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/c/padding.h>

#include <distview/comm/exchange_handle.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace distview::c {

/// Abandons all exchanges in flight, before Kokkos is stopped.
void abandon_all_exchanges() noexcept;

/// An execution of a plan other than a padding plan, for any elements.
class InFlight {
public:
    InFlight() = default;
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    virtual ~InFlight() = default;
    virtual void finish() = 0;
    virtual bool can_finish() const = 0;
    /// Abandons the execution; its memory can be reused for another one.
    virtual void abandon() noexcept = 0;
};

template <class Handle>
class InFlightOf final : public InFlight {
public:
    explicit InFlightOf(Handle handle) : m_handle(std::move(handle)) {}
    void finish() override { m_handle->finish(); }
    bool can_finish() const override { return m_handle->can_finish(); }
    void abandon() noexcept override { m_handle.reset(); }
    void replace(Handle handle) { m_handle = std::move(handle); }

private:
    std::optional<Handle> m_handle;
};

} // namespace distview::c

/// An exchange in flight, or an ended one. Padding plans keep one, so that the next start allocates nothing.
struct distview_exchange : distview::c::Counted {
    distview_exchange();
    ~distview_exchange();
    std::optional<distview::ExchangeHandle<distview::c::Exec>> handle;
    std::unique_ptr<distview::c::InFlight> other; ///< in place of handle, for other plans
    bool belongs_to_plan = true;                  ///< plan holds a reference; guarded by the lock
};

namespace distview::c {

/// The exchange that a plan keeps for its next start, with nothing in flight; a new one if another holder still has the
/// last one.
distview_exchange& next_exchange(distview_exchange*& kept);
/// Drops the plan's reference to the exchange.
void leave_exchange(distview_exchange* kept) noexcept;

/// Stores a started handle; reuses the memory of the last one if it has the same type.
template <class Handle>
void keep(distview_exchange& exchange, Handle handle) {
    if (auto* const last = dynamic_cast<InFlightOf<Handle>*>(exchange.other.get()))
        last->replace(std::move(handle));
    else
        exchange.other = std::make_unique<InFlightOf<Handle>>(std::move(handle));
}

} // namespace distview::c
